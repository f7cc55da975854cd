package dev.weft.tls.conscrypt;

import dev.weft.tls.jdk.JdkTlsBackend;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.testkit.TlsContract;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class ConscryptTlsContractTest {
    private final TlsBackend conscrypt = new ConscryptTlsBackend();
    private final TlsBackend jdk = new JdkTlsBackend();

    @TestFactory
    Stream<DynamicTest> contractWithItself() {
        return contract(conscrypt, conscrypt);
    }

    @TestFactory
    Stream<DynamicTest> contractAsTheServerOfTheJdk() {
        return contract(conscrypt, jdk);
    }

    @TestFactory
    Stream<DynamicTest> contractAsTheClientOfTheJdk() {
        return contract(jdk, conscrypt);
    }

    private static Stream<DynamicTest> contract(TlsBackend server, TlsBackend client) {
        return TlsContract.all(server, client).stream().map(check -> DynamicTest.dynamicTest(check.name(), check.body()::run));
    }
}
