package dev.weft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.intercept.Interception;
import dev.weft.relay.TlsPolicy;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What build() says where TLS can't be as it was asked for. */
class SmtpProxyTlsTest {

    @TempDir
    Path directory;

    private static SmtpProxyBuilder builder() {
        return SmtpProxy.builder().listen("127.0.0.1", 0).intercept(Interception.fixed(new InetSocketAddress("127.0.0.1", 2525)));
    }

    private static void refused(SmtpProxyBuilder builder, String... parts) {
        assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class).hasMessageContainingAll(parts);
    }

    private static KeyMaterial keys() {
        return TestCertificate.of(Kind.EC, "proxy.example").names("proxy.example").build().material();
    }

    @Test
    void aBackendThatIsNotThereIsNamedWithThoseThatAre() {
        refused(builder().tlsBackend("gnutls"), "\"gnutls\"", "jdk", "conscrypt");
    }

    @Test
    void withoutKeysThereIsNoTlsForClients() {
        refused(builder().requireClientTls(), "requireClientTls()", "clientTls(");
        refused(builder().listenImplicitTls("127.0.0.1", 0), "listenImplicitTls", "clientTls(");
    }

    @Test
    void keysThatCantBeReadAreNamed() throws Exception {
        var missing = directory.resolve("missing.pem");
        refused(builder().clientTls(KeyMaterial.pem(missing, missing)), missing.toString());
        var other = TestCertificate.of(Kind.EC, "other.example").build();
        var mine = TestCertificate.of(Kind.EC, "mine.example").build();
        refused(builder().clientTls(KeyMaterial.pem(mine.chainPem(), other.keyPem())), "TLS:");
    }

    @Test
    void aSessionDirectoryThatCantBeUsedIsNamed() throws Exception {
        var file = Files.writeString(directory.resolve("file"), "x");
        refused(builder().tlsBackend("conscrypt").serverTlsSettings(ClientSettings.builder().sessionDirectory(file).build()),
                file.toString());
        var open = Files.createDirectory(directory.resolve("open"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        refused(builder().tlsBackend("conscrypt").serverTlsSettings(ClientSettings.builder().sessionDirectory(open).build()),
                open.toString(), "chmod 700");
    }

    @Test
    void timesThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> builder().tlsBrokenFor(Duration.ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("tlsBrokenFor = PT-1S");
        assertThatThrownBy(() -> builder().tlsBrokenFor(Duration.ofDays(400_000))).isInstanceOf(IllegalArgumentException.class);
    }

    /** The sessions that it kept are written though it never ran, or stopped. */
    @Test
    void aProxyThatNeverRanClosesWhatItMade() throws Exception {
        var sessions = directory.resolve("sessions");
        var proxy = builder().tlsBackend("conscrypt").clientTls(keys()).serverTls(TlsPolicy.encrypt())
                .serverTlsSettings(ClientSettings.builder().sessionDirectory(sessions).build()).build();
        assertThat(sessions).isDirectory();
        proxy.close();
        assertThatThrownBy(proxy::start).isInstanceOf(IllegalStateException.class);
    }
}
