package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.intercept.Interception;
import dev.weft.nio.SecureServer.Manner;
import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.RecordingHandler;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsVersion;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions are taken up again on both legs, and what may not be shared is not. */
class TlsResumptionTest {

    @TempDir
    Path parent;

    static Stream<Arguments> backendsAndVersions() {
        return Stream.of("jdk", "conscrypt")
                .flatMap(backend -> Stream.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3).map(version -> Arguments.of(backend, version)));
    }

    private static void session(Rig rig, SSLContext context, TlsVersion version) throws Exception {
        try (var client = SecureClient.connect(rig.address)) {
            client.expect(220);
            client.command("EHLO client.example", 250);
            if (context != null) {
                client.command("STARTTLS", 220);
                client.handshake(context, "", socket -> socket.setEnabledProtocols(new String[] {version.standardName()}));
                client.command("EHLO client.example", 250);
            }
            client.command("QUIT", 221);
            client.line();
        }
        rig.awaitIdle();
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("backendsAndVersions")
    void bothLegsTakeSessionsUpAgain(String backend, TlsVersion version) throws Exception {
        var handler = new RecordingHandler();
        var parts = TlsParts.of(backend).policy(TlsPolicy.encrypt()).clientLeg(TlsParts.EC.material())
                .serverLeg(ClientSettings.builder().versions(version).build());
        var onClientLeg = new ArrayList<Boolean>();
        var onServerLeg = new ArrayList<Boolean>();
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).tls(parts.config()).start()) {
            var context = TlsParts.peer();
            for (int i = 0; i < 3; i++) {
                session(rig, context, version);
                onClientLeg.add(handler.session().clientTls().orElseThrow().facts().resumed());
                var serverTls = handler.session().serverTls().orElseThrow();
                onServerLeg.add(serverTls.facts().resumed());
                assertThat(serverTls.facts().peerChain()).as("judged after a resumption too").isNotEmpty();
                assertThat(serverTls.peer().trusted()).isTrue();
            }
        }
        assertThat(onClientLeg).containsExactly(false, true, true);
        assertThat(onServerLeg).containsExactly(false, true, true);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk", "conscrypt"})
    void sessionsOfOneServerOrPolicyAreNotAnothers(String backend) throws Exception {
        var handler = new RecordingHandler();
        var policies = new ArrayList<>(List.of(TlsPolicy.encrypt(), TlsPolicy.may(), TlsPolicy.verify("mx.example"), TlsPolicy.encrypt()));
        var router = new dev.weft.relay.RelayHandler() {
            @Override
            public dev.weft.relay.Verdict<dev.weft.relay.Route> connect(dev.weft.relay.RelaySession session, dev.weft.relay.Route proposed) {
                return dev.weft.relay.Verdict.rewrite(proposed.withTls(policies.remove(0)));
            }
        };
        try (var server = SecureServer.start(Manner.SECURE);
                var rig = Rig.with(Interception.fixed(server.address())).handlers(router, handler).tls(TlsParts.of(backend).config()).start()) {
            for (var expected : List.of(false, false, false, true)) {
                session(rig, null, TlsVersion.TLS_1_3);
                assertThat(handler.session().serverTls().orElseThrow().facts().resumed()).isEqualTo(expected);
            }
        }
    }

    @Test
    void theSessionDirectorySurvivesARestartWithConscryptAndTls12() throws Exception {
        var directory = parent.resolve("sessions");
        var settings = ClientSettings.builder().versions(TlsVersion.TLS_1_2).sessionDirectory(directory).build();
        var handler = new RecordingHandler();
        var resumed = new ArrayList<Boolean>();
        try (var server = SecureServer.start(Manner.SECURE)) {
            for (int restart = 0; restart < 2; restart++) {
                var config = TlsParts.of("conscrypt").policy(TlsPolicy.encrypt()).serverLeg(settings).config();
                try (var rig = Rig.with(Interception.fixed(server.address())).handlers(handler).tls(config).start()) {
                    session(rig, null, TlsVersion.TLS_1_2);
                    resumed.add(handler.session().serverTls().orElseThrow().facts().resumed());
                }
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))).isEqualTo("rwx------");
            }
        }
        assertThat(resumed).containsExactly(false, true);
    }

    @Test
    void aDirectoryThatWouldNeverHitIsRefused() throws Exception {
        var only13 = ClientSettings.builder().versions(TlsVersion.TLS_1_3).sessionDirectory(parent.resolve("never")).build();
        assertThatThrownBy(() -> TlsParts.of("conscrypt").serverLeg(only13).config())
                .isInstanceOf(TlsException.class).hasMessageContainingAll("never", "TLS 1.2");
        var any = ClientSettings.builder().sessionDirectory(parent.resolve("never")).build();
        assertThatThrownBy(() -> TlsParts.of("jdk").serverLeg(any).config()).isInstanceOf(TlsException.class);
        assertThat(parent.resolve("never")).doesNotExist();
    }
}
