package dev.weft.tls.jdk;

import dev.weft.tls.testkit.TlsContract;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class JdkTlsContractTest {

    @TestFactory
    Stream<DynamicTest> contract() {
        var jdk = new JdkTlsBackend();
        return TlsContract.all(jdk, jdk).stream().map(check -> DynamicTest.dynamicTest(check.name(), check.body()::run));
    }
}
