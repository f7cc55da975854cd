package dev.weft.tls.conscrypt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TlsPair;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConscryptTlsBackendTest {
    private final TlsBackend backend = new ConscryptTlsBackend();

    @ParameterizedTest
    @EnumSource(value = TlsVersion.class, names = {"TLS_1_2", "TLS_1_3"})
    void ticketsOutliveAReloadOfCertificates(TlsVersion version, @TempDir Path directory) throws Exception {
        var file = directory.resolve("both.pem");
        write(file);
        var settings = ServerSettings.builder(KeyMaterial.pem(file, file)).versions(version).build();
        try (var server = backend.server(settings); var client = backend.client(ClientSettings.builder().build())) {
            assertThat(isResumed(server, client)).isFalse();
            write(file);
            server.maintain();
            assertThat(isResumed(server, client)).isTrue();
        }
    }

    private static void write(Path file) throws Exception {
        var certificate = TestCertificate.of(TestCertificate.Kind.EC, "mx.example").build();
        Files.write(file, certificate.chainPem());
        Files.write(file, certificate.keyPem(), StandardOpenOption.APPEND);
    }

    private static boolean isResumed(TlsServerContext server, TlsClientContext client) throws Exception {
        var name = Optional.of("mx.example");
        try (var pair = new TlsPair(client.engine(name, name), server.engine()).handshake()) {
            pair.chat();
            return pair.client().engine().facts().orElseThrow().resumed();
        }
    }

    @Test
    void oldVersionsAreThereForWhoAsks() throws Exception {
        var keys = TestCertificate.of(TestCertificate.Kind.RSA, "mx.example").build().material();
        var name = Optional.of("mx.example");
        try (var server = backend.server(ServerSettings.builder(keys).versions(TlsVersion.TLS_1_0, TlsVersion.TLS_1_2).build());
                var old = backend.client(ClientSettings.builder().versions(TlsVersion.TLS_1_0).build());
                var pair = new TlsPair(old.engine(name, name), server.engine()).handshake()) {
            assertThat(pair.server().engine().facts().orElseThrow().version()).isEqualTo(TlsVersion.TLS_1_0);
            pair.chat();
        }
        try (var server = backend.server(ServerSettings.builder(keys).build());
                var old = backend.client(ClientSettings.builder().versions(TlsVersion.TLS_1_0).build());
                var pair = new TlsPair(old.engine(name, name), server.engine())) {
            pair.settle();
            assertThat(pair.server().engine().handshakeDone()).as("not for who does not").isFalse();
        }
    }

    @Test
    void withoutTicketsTls13ResumesNothing() throws Exception {
        var keys = TestCertificate.of(TestCertificate.Kind.EC, "mx.example").build().material();
        var settings = ServerSettings.builder(keys).versions(TlsVersion.TLS_1_3).sessionTickets(false).build();
        try (var server = backend.server(settings); var client = backend.client(ClientSettings.builder().build())) {
            assertThat(isResumed(server, client)).isFalse();
            assertThat(isResumed(server, client)).isFalse();
        }
    }

    @Test
    void directoryOnlyForTls13IsRefused(@TempDir Path directory) {
        var sessions = directory.resolve("sessions");
        var settings = ClientSettings.builder().versions(TlsVersion.TLS_1_3).sessionDirectory(sessions).build();

        assertThat(backend.sessionKeeping(settings).possible()).isFalse();
        assertThatThrownBy(() -> backend.client(settings)).isInstanceOf(TlsException.class).hasMessageContaining("TLS 1.2");
        assertThat(sessions).doesNotExist();
    }

    @Test
    void isFoundByTheServiceLoaderAndCanRunHere() {
        var found = ServiceLoader.load(TlsBackend.class).stream().map(ServiceLoader.Provider::get).toList();

        assertThat(found).filteredOn(each -> each.name().equals("conscrypt")).singleElement()
                .satisfies(conscrypt -> assertThat(conscrypt.unavailable()).isEmpty());
    }
}
