package dev.weft.tls.testkit;

import dev.weft.tls.spi.ClientCertificates;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.Bench.Certificates;
import dev.weft.tls.testkit.TestCertificate.Kind;
import dev.weft.tls.testkit.TlsContract.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a handshake comes to, and what is known of it afterwards. */
record HandshakeChecks(TlsBackend server, TlsBackend client) {

    static List<Check> of(TlsBackend server, TlsBackend client) {
        var checks = new HandshakeChecks(server, client);
        var list = new ArrayList<Check>();
        for (var version : List.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3)) {
            for (var kind : Kind.values()) {
                list.add(new Check("fullThenResumedHandshake " + version + " " + kind,
                        () -> checks.fullThenResumed(kind, version)));
            }
            list.add(new Check("clientCertificateIsSeenByTheServer " + version, () -> checks.clientCertificateIsSeen(version)));
            list.add(new Check("optionalClientCertificateMayBeMissing " + version, () -> checks.optionalMayBeMissing(version)));
            list.add(new Check("requiredClientCertificateMayNotBeMissing " + version,
                    () -> checks.requiredMayNotBeMissing(version)));
        }
        list.add(new Check("newestCommonVersionIsTaken", checks::newestCommonVersion));
        list.add(new Check("noCommonVersionFailsOnBothSides", checks::noCommonVersion));
        list.add(new Check("nameThatCantBeAskedForIsLeftOut", checks::unusableNames));
        return list;
    }

    private void fullThenResumed(Kind kind, TlsVersion version) throws Exception {
        var certificate = Certificates.of(kind);
        try (var bench = Bench.of(server, client, certificate.material(), version)) {
            for (boolean resumed : new boolean[] {false, true, true}) {
                try (var pair = bench.connect().handshake()) {
                    for (var peer : List.of(pair.client(), pair.server())) {
                        var facts = peer.engine().facts().orElseThrow();
                        Expect.equal(facts.version(), version, "version");
                        Expect.equal(facts.serverName(), Optional.of(Bench.NAME), "name asked for");
                        Expect.equal(facts.resumed(), resumed, "resumed");
                        Expect.that(facts.cipherSuite().startsWith("TLS_"), "a cipher suite, not " + facts.cipherSuite());
                    }
                    Expect.equal(chain(pair.client()), certificate.certified().chain(), "chain, as the client sees it");
                    Expect.equal(chain(pair.server()), List.of(), "the client's chain, as the server sees it");
                    pair.chat();
                    pair.end();
                }
            }
        }
    }

    private static List<?> chain(TlsPeer peer) {
        return peer.engine().facts().map(TlsFacts::peerChain).orElseThrow();
    }

    private Bench asking(ClientCertificates asked, boolean has, TlsVersion version) throws Exception {
        var settings = ClientSettings.builder().versions(version);
        if (has) {
            settings.keys(Certificates.OTHER.material());
        }
        var serverSettings = ServerSettings.builder(Certificates.EC.material()).versions(version).clientCertificates(asked);
        return new Bench(server.server(serverSettings.build()), client.client(settings.build()));
    }

    private void clientCertificateIsSeen(TlsVersion version) throws Exception {
        for (var asked : List.of(ClientCertificates.OPTIONAL, ClientCertificates.REQUIRED)) {
            try (var bench = asking(asked, true, version); var pair = bench.connect().handshake()) {
                Expect.equal(chain(pair.server()), Certificates.OTHER.certified().chain(), "the client's chain");
                pair.chat();
            }
        }
    }

    private void optionalMayBeMissing(TlsVersion version) throws Exception {
        try (var bench = asking(ClientCertificates.OPTIONAL, false, version); var pair = bench.connect().handshake()) {
            Expect.equal(chain(pair.server()), List.of(), "the client's chain");
            pair.chat();
        }
    }

    /** A TLS 1.3 client may have believed in the handshake before it learns. */
    private void requiredMayNotBeMissing(TlsVersion version) throws Exception {
        try (var bench = asking(ClientCertificates.REQUIRED, false, version); var pair = bench.connect()) {
            pair.settle();
            Expect.that(!pair.server().engine().handshakeDone(), "no handshake without a certificate");
            Expect.equal(pair.server().unwrapped(), TlsResult.FAILED, "the server's result");
            Expect.equal(pair.client().unwrapped(), TlsResult.FAILED, "the client's result");
            var failure = pair.client().engine().failure().orElseThrow();
            Expect.equal(failure.kind(), TlsFailure.Kind.ALERT_FROM_PEER, "how the client learnt");
        }
    }

    private void newestCommonVersion() throws Exception {
        try (var servers = server.server(ServerSettings.builder(Certificates.EC.material()).build());
                var old = client.client(ClientSettings.builder().versions(TlsVersion.TLS_1_2).build());
                var both = client.client(ClientSettings.builder().build())) {
            try (var pair = new Bench(servers, old).connect().handshake()) {
                Expect.equal(pair.client().engine().facts().orElseThrow().version(), TlsVersion.TLS_1_2, "version");
            }
            try (var pair = new Bench(servers, both).connect().handshake()) {
                Expect.equal(pair.client().engine().facts().orElseThrow().version(), TlsVersion.TLS_1_3, "version");
            }
        }
    }

    private void noCommonVersion() throws Exception {
        var serverSettings = ServerSettings.builder(Certificates.EC.material()).versions(TlsVersion.TLS_1_3).build();
        try (var servers = server.server(serverSettings);
                var old = client.client(ClientSettings.builder().versions(TlsVersion.TLS_1_2).build());
                var pair = new Bench(servers, old).connect()) {
            pair.settle();
            Expect.equal(pair.server().unwrapped(), TlsResult.FAILED, "the server's result");
            Expect.equal(pair.server().engine().failure().orElseThrow().kind(), TlsFailure.Kind.PROTOCOL, "the server's failure");
            Expect.equal(pair.client().engine().failure().orElseThrow(),
                    new TlsFailure(TlsFailure.Kind.ALERT_FROM_PEER, "protocol_version"), "the client's failure");
        }
    }

    private void unusableNames() throws Exception {
        try (var bench = Bench.of(server, client, TlsVersion.TLS_1_3)) {
            for (var name : List.of("192.0.2.1", "2001:db8::1", "")) {
                try (var pair = bench.connect(Optional.of(name), Optional.of("key " + name)).handshake()) {
                    Expect.equal(name(pair.client()), Optional.empty(), "asked for " + name);
                    Expect.equal(name(pair.server()), Optional.empty(), "seen of " + name);
                }
            }
            try (var pair = bench.connect(Optional.of("MX.example."), Optional.empty()).handshake()) {
                Expect.equal(name(pair.server()), Optional.of(Bench.NAME), "without the last dot");
            }
            try (var pair = bench.connect(Optional.empty(), Optional.of("a.server.example")).handshake()) {
                Expect.equal(name(pair.server()), Optional.empty(), "the session key is no name");
            }
        }
    }

    private static Optional<String> name(TlsPeer peer) {
        return peer.engine().facts().orElseThrow().serverName();
    }
}
