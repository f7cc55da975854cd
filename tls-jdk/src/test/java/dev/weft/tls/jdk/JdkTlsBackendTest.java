package dev.weft.tls.jdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TestCertificate;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class JdkTlsBackendTest {

    @Test
    void whatTheRuntimeForbidsOrCantDoIsRefusedAtOnce() {
        var jdk = new JdkTlsBackend();
        var keys = TestCertificate.of(TestCertificate.Kind.EC, "mx.example").build().material();

        assertThatThrownBy(() -> jdk.client(ClientSettings.builder().versions(TlsVersion.TLS_1_0).build()))
                .isInstanceOf(TlsException.class).hasMessageContaining("TLSv1:")
                .hasMessageContaining("jdk.tls.disabledAlgorithms");
        assertThatThrownBy(() -> jdk.server(ServerSettings.builder(keys).sessionTickets(false).build()))
                .isInstanceOf(TlsException.class).hasMessageContaining("enableSessionTicketExtension");
    }

    @Test
    void isFoundByTheServiceLoaderAndCanRunHere() {
        var found = ServiceLoader.load(TlsBackend.class).stream().map(ServiceLoader.Provider::get).toList();

        assertThat(found).singleElement().satisfies(backend -> {
            assertThat(backend.name()).isEqualTo("jdk");
            assertThat(backend.unavailable()).isEmpty();
        });
    }
}
