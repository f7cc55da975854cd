package dev.weft.tls.testkit;

import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.PeerVerdict;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.Bench.Certificates;
import dev.weft.tls.testkit.TestCertificate.Kind;
import dev.weft.tls.testkit.TlsContract.Check;
import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.X509KeyManager;

/** Any certificate lets the handshake pass, the judge tells what it was worth, and a server shows the right one of several. */
record CertificateChecks(TlsBackend server, TlsBackend client) {

    static List<Check> of(TlsBackend server, TlsBackend client) {
        var checks = new CertificateChecks(server, client);
        var list = new ArrayList<Check>();
        for (var version : List.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3)) {
            list.add(new Check("goodCertificateIsVerified " + version, () -> checks.good(version)));
            list.add(new Check("expiredCertificatePassesAndIsTold " + version, () -> checks.expired(version)));
            list.add(new Check("selfSignedCertificatePassesAndIsTold " + version, () -> checks.selfSigned(version)));
            list.add(new Check("unknownIssuerPassesAndIsTold " + version, () -> checks.unknownIssuer(version)));
            list.add(new Check("wrongNamePassesAndIsTold " + version, () -> checks.wrongName(version)));
            list.add(new Check("certificateIsChosenByName " + version, () -> checks.chosenByName(version)));
            list.add(new Check("ofBothKindsEcdsaIsPreferred " + version, () -> checks.bothKinds(version)));
            list.add(new Check("keyManagerOfTheHostIsUsed " + version, () -> checks.keyManager(version)));
        }
        return list;
    }

    private PeerVerdict verdict(TestCertificate certificate, TlsVersion version, String... names) throws Exception {
        try (var bench = Bench.of(server, client, certificate.material(), version);
                var pair = bench.connect().handshake()) {
            pair.chat();
            return Certificates.judge().judgeServer(pair.client().engine().facts().orElseThrow().peerChain(), List.of(names));
        }
    }

    private void good(TlsVersion version) throws Exception {
        for (var kind : Kind.values()) {
            var verdict = verdict(Certificates.of(kind), version, "other.example", Bench.NAME);
            var good = new PeerVerdict(true, true, false, false, "", List.of(Bench.NAME), Optional.of(Bench.NAME));
            Expect.equal(verdict, good, "verdict");
        }
    }

    private void expired(TlsVersion version) throws Exception {
        var expired = TestCertificate.of(Kind.EC, Bench.NAME).names(Bench.NAME).issuer(Certificates.EC_ROOT)
                .valid(Instant.now().minus(Duration.ofDays(9)), Instant.now().minus(Duration.ofDays(2))).build();
        var verdict = verdict(expired, version, Bench.NAME);
        Expect.that(verdict.expired() && !verdict.trusted() && !verdict.verified() && !verdict.selfSigned(), "not " + verdict);
        Expect.equal(verdict.matched(), Optional.of(Bench.NAME), "matched");
    }

    private void selfSigned(TlsVersion version) throws Exception {
        var verdict = verdict(TestCertificate.of(Kind.EC, Bench.NAME).names(Bench.NAME).build(), version, Bench.NAME);
        Expect.that(verdict.selfSigned() && !verdict.trusted() && !verdict.verified() && !verdict.expired(), "not " + verdict);
        Expect.that(!verdict.detail().isEmpty(), "a reason");
    }

    private void unknownIssuer(TlsVersion version) throws Exception {
        var stranger = TestCertificate.of(Kind.RSA, "stranger").authority().build();
        var certificate = TestCertificate.of(Kind.EC, Bench.NAME).names(Bench.NAME).issuer(stranger).build();
        var verdict = verdict(certificate, version, Bench.NAME);
        Expect.that(!verdict.selfSigned() && !verdict.trusted() && !verdict.verified() && !verdict.expired(), "not " + verdict);
    }

    private void wrongName(TlsVersion version) throws Exception {
        var verdict = verdict(Certificates.OTHER, version, Bench.NAME);
        Expect.that(verdict.trusted() && !verdict.verified(), "trusted, but not verified: " + verdict);
        Expect.equal(verdict.names(), List.of("other.example"), "names");
    }

    private X509Certificate shown(Bench bench, Optional<String> name) throws Exception {
        try (var pair = bench.connect(name, Optional.empty()).handshake()) {
            return pair.client().engine().facts().orElseThrow().peerChain().get(0);
        }
    }

    private void chosenByName(TlsVersion version) throws Exception {
        var wild = TestCertificate.of(Kind.RSA, "wild").names("*.wild.example").build();
        var material = Certificates.EC.material().and(Certificates.OTHER.material()).and(wild.material());
        try (var bench = Bench.of(server, client, material, version)) {
            Expect.equal(shown(bench, Optional.of("other.example")), Certificates.OTHER.certificate(), "for its name");
            Expect.equal(shown(bench, Optional.of("a.wild.example")), wild.certificate(), "for a wildcard, of another kind");
            Expect.equal(shown(bench, Optional.of(Bench.NAME)), Certificates.EC.certificate(), "for the first name");
            Expect.equal(shown(bench, Optional.of("unknown.example")), Certificates.EC.certificate(), "for an unknown name");
            Expect.equal(shown(bench, Optional.empty()), Certificates.EC.certificate(), "for no name");
        }
    }

    private void bothKinds(TlsVersion version) throws Exception {
        try (var bench = Bench.of(server, client, Certificates.RSA.material().and(Certificates.EC.material()), version)) {
            Expect.equal(shown(bench, Optional.of(Bench.NAME)), Certificates.EC.certificate(), "shown");
        }
    }

    private void keyManager(TlsVersion version) throws Exception {
        try (var bench = Bench.of(server, client, KeyMaterial.of(new PlainKeyManager()), version)) {
            Expect.equal(shown(bench, Optional.of(Bench.NAME)), Certificates.EC.certificate(), "shown");
            Expect.equal(bench.resumes(Optional.of(Bench.NAME), Optional.of("k")), false, "first");
            Expect.equal(bench.resumes(Optional.of(Bench.NAME), Optional.of("k")), true, "second");
        }
    }

    /** A host's key manager of the plain kind, with a key of each kind. */
    private static final class PlainKeyManager implements X509KeyManager {
        @Override
        public String[] getClientAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public String[] getServerAliases(String keyType, Principal[] issuers) {
            return null;
        }

        @Override
        public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
            return keyType.equals("EC") || keyType.equals("RSA") ? keyType : null;
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return Certificates.of(Kind.valueOf(alias)).certified().chain().toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return Certificates.of(Kind.valueOf(alias)).certified().key();
        }
    }
}
