package dev.weft.tls.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.tls.testkit.IdentityBackend;
import dev.weft.tls.testkit.TlsContract;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The contract's own test: a backend without cryptography passes what needs none. */
class IdentityBackendTest {
    private final IdentityBackend plain = new IdentityBackend(false);
    private final IdentityBackend withTasks = new IdentityBackend(true);

    @TestFactory
    Stream<DynamicTest> contractOfEngines() {
        return contract(plain);
    }

    @TestFactory
    Stream<DynamicTest> contractOfEnginesThatAskForTasks() {
        return contract(withTasks);
    }

    private static Stream<DynamicTest> contract(IdentityBackend backend) {
        return TlsContract.engine(backend, backend, TlsVersion.TLS_1_3).stream()
                .map(check -> DynamicTest.dynamicTest(check.name(), check.body()::run));
    }

    @AfterEach
    void everyEngineWasFreed() {
        assertThat(plain.living() + withTasks.living()).isZero();
    }
}
