package dev.weft.tls.testkit;

import dev.weft.tls.spi.CertifiedKey;
import dev.weft.tls.spi.KeyMaterial;
import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A key with a certificate made for a test.
 *
 * @param certified the key, and the chain up to but without the root
 */
public record TestCertificate(CertifiedKey certified) {
    private static final AtomicLong SERIAL = new AtomicLong(1);

    /** The kind of a key. */
    public enum Kind {
        /** RSA of 2048 bits. */
        RSA,
        /** ECDSA on P-256. */
        EC
    }

    /**
     * Starts a self-signed certificate, valid from yesterday until tomorrow.
     *
     * @param kind the kind of key
     * @param commonName the subject
     * @return a builder
     */
    public static Builder of(Kind kind, String commonName) {
        return new Builder(kind, commonName);
    }

    /**
     * The certificate itself.
     *
     * @return the first of the chain
     */
    public X509Certificate certificate() {
        return certified.chain().get(0);
    }

    /**
     * The chain in PEM form.
     *
     * @return for a file or {@link KeyMaterial#pem(byte[], byte[])}
     */
    public byte[] chainPem() {
        var pem = new StringBuilder();
        try {
            for (var certificate : certified.chain()) {
                pem.append(block("CERTIFICATE", certificate.getEncoded()));
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return pem.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * The key in PEM form, as PKCS #8.
     *
     * @return for a file or {@link KeyMaterial#pem(byte[], byte[])}
     */
    public byte[] keyPem() {
        return block("PRIVATE KEY", certified.key().getEncoded()).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Key and chain as material for a context.
     *
     * @return in PEM form
     */
    public KeyMaterial material() {
        return KeyMaterial.pem(chainPem(), keyPem());
    }

    static String block(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END " + label + "-----\n";
    }

    /** Collects what a certificate shall say. */
    public static final class Builder {
        private final Kind kind;
        private final String commonName;
        private final List<String> names = new ArrayList<>();
        private Instant from = Instant.now().minus(Duration.ofDays(1));
        private Instant until = Instant.now().plus(Duration.ofDays(1));
        private TestCertificate issuer;
        private boolean authority;

        private Builder(Kind kind, String commonName) {
            this.kind = kind;
            this.commonName = commonName;
        }

        /**
         * The names that it is for.
         *
         * @param names DNS names or IP addresses, which go into subjectAltName
         * @return this builder
         */
        public Builder names(String... names) {
            this.names.addAll(List.of(names));
            return this;
        }

        /**
         * The time of its validity.
         *
         * @param from the begin
         * @param until the end
         * @return this builder
         */
        public Builder valid(Instant from, Instant until) {
            this.from = from;
            this.until = until;
            return this;
        }

        /**
         * Who vouches for it, instead of itself.
         *
         * @param issuer made with {@link #authority()}
         * @return this builder
         */
        public Builder issuer(TestCertificate issuer) {
            this.issuer = issuer;
            return this;
        }

        /**
         * Lets it vouch for others.
         *
         * @return this builder
         */
        public Builder authority() {
            authority = true;
            return this;
        }

        /**
         * Makes key and certificate.
         *
         * @return both
         */
        public TestCertificate build() {
            try {
                return make();
            } catch (GeneralSecurityException | UnknownHostException e) {
                throw new IllegalStateException("no test certificate could be made", e);
            }
        }

        private TestCertificate make() throws GeneralSecurityException, UnknownHostException {
            var generator = KeyPairGenerator.getInstance(kind.name());
            generator.initialize(kind == Kind.RSA ? 2048 : 256);
            KeyPair pair = generator.generateKeyPair();
            var signer = issuer == null ? pair.getPrivate() : issuer.certified.key();
            boolean rsa = signer.getAlgorithm().equals("RSA");
            var algorithm = rsa ? Der.sequence(Der.oid("1.2.840.113549.1.1.11"), Der.tagged(5))
                    : Der.sequence(Der.oid("1.2.840.10045.4.3.2"));
            var tbs = Der.sequence(Der.tagged(0xa0, Der.integer(BigInteger.TWO)),
                    Der.integer(BigInteger.valueOf(SERIAL.getAndIncrement())), algorithm,
                    issuer == null ? name(commonName) : issuer.certificate().getSubjectX500Principal().getEncoded(),
                    Der.sequence(Der.time(from), Der.time(until)), name(commonName), pair.getPublic().getEncoded(),
                    Der.tagged(0xa3, Der.sequence(extensions())));
            var signature = Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSA");
            signature.initSign(signer);
            signature.update(tbs);
            var der = Der.sequence(tbs, algorithm, Der.bits(signature.sign()));
            var chain = new ArrayList<X509Certificate>();
            var factory = CertificateFactory.getInstance("X.509");
            chain.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
            if (issuer != null) {
                issuer.certified.chain().stream().filter(above -> !isRoot(above)).forEach(chain::add);
            }
            return new TestCertificate(new CertifiedKey(chain, pair.getPrivate()));
        }

        private static boolean isRoot(X509Certificate certificate) {
            return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
        }

        private byte[][] extensions() throws UnknownHostException {
            var extensions = new ArrayList<byte[]>();
            if (authority) {
                extensions.add(Der.sequence(Der.oid("2.5.29.19"), Der.isTrue(), Der.octets(Der.sequence(Der.isTrue()))));
            }
            if (!names.isEmpty()) {
                var general = new ArrayList<byte[]>();
                for (var name : names) {
                    boolean address = name.indexOf(':') >= 0 || name.matches("[0-9.]+");
                    general.add(address ? Der.tagged(0x87, InetAddress.getByName(name).getAddress())
                            : Der.tagged(0x82, name.getBytes(StandardCharsets.ISO_8859_1)));
                }
                extensions.add(Der.sequence(Der.oid("2.5.29.17"), Der.octets(Der.sequence(general.toArray(byte[][]::new)))));
            }
            if (extensions.isEmpty()) { // the field must not be empty: say "no authority"
                extensions.add(Der.sequence(Der.oid("2.5.29.19"), Der.octets(Der.sequence())));
            }
            return extensions.toArray(byte[][]::new);
        }

        private static byte[] name(String commonName) {
            return Der.sequence(Der.tagged(0x31, Der.sequence(Der.oid("2.5.4.3"), Der.utf8(commonName))));
        }
    }
}
