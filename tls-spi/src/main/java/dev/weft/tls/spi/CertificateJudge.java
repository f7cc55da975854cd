package dev.weft.tls.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * Judges certificates after the handshake, the same way for every backend and for resumed sessions, whose certificates no
 * engine looks at again. Safe for use by many threads. A chain is validated once and remembered for up to an hour, so the usual
 * cost is a hash; the first time it is 0.1 to 0.3 ms of computing. It asks nobody over the network.
 *
 * <p>Names are compared as RFC 9525 (formerly RFC 6125) says: only with subjectAltName, never with the common name; a
 * {@code *} only as the whole first label, for exactly one label.
 */
public final class CertificateJudge {
    private static final int MOST_REMEMBERED = 4096;
    private static final Duration LONGEST_REMEMBERED = Duration.ofHours(1);

    private enum Side { SERVER, CLIENT }

    /** All about a chain that does not depend on the names asked for. */
    private record Standing(boolean trusted, boolean expired, boolean selfSigned, String detail, CertificateNames names,
            Instant from, Instant until) {}

    private final X509TrustManager trust;
    private final InstantSource clock;
    private final ConcurrentHashMap<String, Standing> remembered = new ConcurrentHashMap<>();

    CertificateJudge(X509TrustManager trust, InstantSource clock) {
        this.trust = trust;
        this.clock = clock;
    }

    /**
     * Trusts the roots that the Java runtime trusts.
     *
     * @return a judge
     * @throws TlsException if the runtime's roots can't be read
     */
    public static CertificateJudge platform() throws TlsException {
        return new CertificateJudge(pkix(null), InstantSource.system());
    }

    /**
     * Trusts the given certificates and what they vouch for, nothing else.
     *
     * @param roots at least one
     * @return a judge
     * @throws TlsException if there is none, or they can't be used
     */
    public static CertificateJudge trusting(Collection<X509Certificate> roots) throws TlsException {
        if (roots.isEmpty()) {
            throw new TlsException("there is no root to trust: give at least one certificate");
        }
        try {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int n = 0;
            for (var root : roots) {
                store.setCertificateEntry("root" + n++, root);
            }
            return new CertificateJudge(pkix(store), InstantSource.system());
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException("the roots can't be used (" + e.getMessage() + ")", e);
        }
    }

    /**
     * Trusts the certificates in a PEM file and what they vouch for, nothing else. Blocks on the file.
     *
     * @param pemFile one or more certificates
     * @return a judge
     * @throws TlsException if the file can't be read or holds none
     */
    public static CertificateJudge trusting(Path pemFile) throws TlsException {
        try {
            return trusting(Pem.certificates(pemFile.toString(), Files.readAllBytes(pemFile)));
        } catch (IOException e) {
            throw Pem.unreadable(pemFile, e);
        }
    }

    private static X509TrustManager pkix(KeyStore store) throws TlsException {
        try {
            // By name, since a host may have installed a provider whose managers speak to its own engine only.
            var factory = TrustManagerFactory.getInstance("PKIX", "SunJSSE");
            factory.init(store);
            for (var manager : factory.getTrustManagers()) {
                if (manager instanceof X509TrustManager x509) {
                    return x509;
                }
            }
            throw new TlsException("the SunJSSE provider has no X.509 trust manager: use a Java runtime that has one");
        } catch (GeneralSecurityException e) {
            throw new TlsException("the trusted roots can't be read (" + e.getMessage() + ")", e);
        }
    }

    /**
     * Judges a server's certificates.
     *
     * @param chain as {@link TlsFacts#peerChain()} gives it
     * @param names the names of which one shall match, in order of preference: host names, in Unicode or not, or IP addresses
     * @return how it stood
     */
    public PeerVerdict judgeServer(List<X509Certificate> chain, Collection<String> names) {
        return judge(chain, names, Side.SERVER);
    }

    /**
     * Judges a client's certificates.
     *
     * @param chain as {@link TlsFacts#peerChain()} gives it
     * @param names the names of which one shall match; may be empty
     * @return how it stood
     */
    public PeerVerdict judgeClient(List<X509Certificate> chain, Collection<String> names) {
        return judge(chain, names, Side.CLIENT);
    }

    /**
     * Whether a certificate is for a name, valid or not.
     *
     * @param certificate any certificate
     * @param name a host name or an IP address
     * @return true if one of its names matches
     */
    public static boolean isFor(X509Certificate certificate, String name) {
        return namesOf(certificate).test(name);
    }

    /**
     * The same for a certificate that is asked about again and again: its names are read once.
     *
     * @param certificate the certificate
     * @return tells whether it is for a name
     */
    public static Predicate<String> namesOf(X509Certificate certificate) {
        var names = CertificateNames.of(certificate);
        return name -> names.firstMatched(List.of(name)).isPresent();
    }

    private PeerVerdict judge(List<X509Certificate> chain, Collection<String> names, Side side) {
        if (chain.isEmpty()) {
            return new PeerVerdict(false, false, false, false, "no certificate was shown", List.of(), Optional.empty());
        }
        var standing = standing(chain, side);
        return new PeerVerdict(true, standing.trusted, standing.expired, standing.selfSigned, standing.detail,
                standing.names.all(), standing.names.firstMatched(names));
    }

    private Standing standing(List<X509Certificate> chain, Side side) {
        var now = clock.instant();
        String key;
        try {
            key = side + fingerprint(chain);
        } catch (GeneralSecurityException e) {
            return judged(chain, side, now);
        }
        var known = remembered.get(key);
        if (known == null || now.isBefore(known.from) || !now.isBefore(known.until)) {
            if (remembered.size() >= MOST_REMEMBERED) {
                remembered.clear(); // rare and cheap to make good: simpler than an order of age that all threads would fight for
            }
            known = judged(chain, side, now);
            remembered.put(key, known);
        }
        return known;
    }

    private static String fingerprint(List<X509Certificate> chain) throws GeneralSecurityException {
        var digest = MessageDigest.getInstance("SHA-256");
        for (var certificate : chain) {
            digest.update(certificate.getEncoded());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private Standing judged(List<X509Certificate> chain, Side side, Instant now) {
        var own = chain.get(0);
        var until = now.plus(LONGEST_REMEMBERED);
        boolean expired = false;
        for (var certificate : chain) {
            var begin = certificate.getNotBefore().toInstant();
            var end = certificate.getNotAfter().toInstant();
            expired |= now.isBefore(begin) || now.isAfter(end);
            for (var change : List.of(begin, end.plusMillis(1))) {
                if (change.isAfter(now) && change.isBefore(until)) {
                    until = change;
                }
            }
        }
        var detail = complaint(chain.toArray(X509Certificate[]::new), side);
        boolean selfSigned = isSelfSigned(own);
        if (!detail.isEmpty() && expired) {
            detail = "expired or not yet valid: " + detail;
        }
        return new Standing(detail.isEmpty(), expired, selfSigned, detail, CertificateNames.of(own), now, until);
    }

    private String complaint(X509Certificate[] chain, Side side) {
        try {
            // The kind of key exchange is left open: the names that some engines give here are unknown to this trust manager.
            if (side == Side.SERVER) {
                trust.checkServerTrusted(chain, "UNKNOWN");
            } else {
                trust.checkClientTrusted(chain, "UNKNOWN");
            }
            return "";
        } catch (CertificateException | RuntimeException e) {
            return text(e);
        }
    }

    private static String text(Throwable thrown) {
        var deepest = thrown;
        for (var cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null) {
                deepest = cause;
            }
            if (cause instanceof CertPathValidatorException) {
                break;
            }
        }
        return OneLine.of(deepest.getMessage() == null ? deepest.toString() : deepest.getMessage());
    }

    private static boolean isSelfSigned(X509Certificate certificate) {
        if (!certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())) {
            return false;
        }
        try {
            certificate.verify(certificate.getPublicKey());
            return true;
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
