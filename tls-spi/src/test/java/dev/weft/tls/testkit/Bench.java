package dev.weft.tls.testkit;

import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.util.List;
import java.util.Optional;

/** A server's and a client's context of the backends under test. */
record Bench(TlsServerContext server, TlsClientContext client) implements AutoCloseable {
    static final String NAME = "mx.example";

    /** Made once for each JVM: RSA keys take their time. */
    static final class Certificates {
        static final TestCertificate RSA_ROOT = TestCertificate.of(Kind.RSA, "RSA root").authority().build();
        static final TestCertificate EC_ROOT = TestCertificate.of(Kind.EC, "EC root").authority().build();
        static final TestCertificate RSA = TestCertificate.of(Kind.RSA, NAME).names(NAME).issuer(RSA_ROOT).build();
        static final TestCertificate EC = TestCertificate.of(Kind.EC, NAME).names(NAME).issuer(EC_ROOT).build();
        static final TestCertificate RENEWED = TestCertificate.of(Kind.EC, NAME).names(NAME).issuer(EC_ROOT).build();
        static final TestCertificate OTHER = TestCertificate.of(Kind.EC, "other").names("other.example").issuer(EC_ROOT).build();

        private Certificates() {}

        static TestCertificate of(Kind kind) {
            return kind == Kind.RSA ? RSA : EC;
        }

        static CertificateJudge judge() throws TlsException {
            return CertificateJudge.trusting(List.of(RSA_ROOT.certificate(), EC_ROOT.certificate()));
        }
    }

    static Bench of(TlsBackend server, TlsBackend client, KeyMaterial keys, TlsVersion... versions) throws TlsException {
        return new Bench(server.server(ServerSettings.builder(keys).versions(versions).build()),
                client.client(ClientSettings.builder().versions(versions).build()));
    }

    static Bench of(TlsBackend server, TlsBackend client, TlsVersion... versions) throws TlsException {
        return of(server, client, Certificates.EC.material(), versions);
    }

    /** Connects with {@link #NAME} as the name asked for and as the session key. */
    TlsPair connect() throws TlsException {
        return connect(NAME);
    }

    TlsPair connect(String name) throws TlsException {
        return connect(Optional.of(name), Optional.of(name));
    }

    TlsPair connect(Optional<String> name, Optional<String> sessionKey) throws TlsException {
        var clientEngine = client.engine(name, sessionKey);
        try {
            return new TlsPair(clientEngine, server.engine());
        } catch (TlsException e) {
            clientEngine.free();
            throw e;
        }
    }

    /** One whole connection; tells whether it was resumed. */
    boolean resumes(Optional<String> name, Optional<String> sessionKey) throws TlsException {
        try (var pair = connect(name, sessionKey).handshake()) {
            pair.chat();
            boolean resumed = pair.client().engine().facts().orElseThrow().resumed();
            Expect.equal(pair.server().engine().facts().orElseThrow().resumed(), resumed, "resumed, as the server sees it");
            pair.end();
            return resumed;
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
