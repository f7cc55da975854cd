package dev.weft.examples;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;

/**
 * A self-signed certificate that is made when a program starts and forgotten when it ends, for demonstrations and benchmarks.
 *
 * @param certificate for one host name
 * @param key belongs to it
 */
public record ThrowAwayCertificate(X509Certificate certificate, PrivateKey key) {

    // The tags of DER (X.690) that a certificate needs, and object identifiers with tag and length.
    private static final int INTEGER = 0x02;
    private static final int BITS = 0x03;
    private static final int OCTETS = 0x04;
    private static final int UTF8 = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final byte[] NULL = {5, 0};
    private static final byte[] COMMON_NAME = {6, 3, 0x55, 4, 3};
    private static final byte[] SUBJECT_ALT_NAME = {6, 3, 0x55, 0x1d, 0x11};
    private static final byte[] SHA256_WITH_RSA = {6, 9, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 1, 1, 0x0b};
    private static final byte[] ECDSA_WITH_SHA256 = {6, 8, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2};

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    /** The kind of key. */
    public enum Kind {
        /** RSA of 2048 bits. */
        RSA(2048, "SHA256withRSA"),
        /** ECDSA on P-256. */
        EC(256, "SHA256withECDSA");

        private final int bits;
        private final String signature;

        Kind(int bits, String signature) {
            this.bits = bits;
            this.signature = signature;
        }
    }

    /**
     * Makes one, valid from yesterday for a week.
     *
     * @param kind the kind of key
     * @param host whose certificate it is
     * @return key and certificate
     */
    public static ThrowAwayCertificate make(Kind kind, String host) {
        try {
            var generator = KeyPairGenerator.getInstance(kind.name());
            generator.initialize(kind.bits);
            var pair = generator.generateKeyPair();
            var algorithm = kind == Kind.RSA ? der(SEQUENCE, SHA256_WITH_RSA, NULL) : der(SEQUENCE, ECDSA_WITH_SHA256);
            var name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, bytes(host)))));
            var names = der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTETS, der(SEQUENCE, der(0x82, bytes(host)))));
            var from = Instant.now().minus(Duration.ofDays(1));
            // RFC 5280 section 4.1: version 3, serial, algorithm, issuer, validity, subject, key, extensions.
            var toBeSigned = der(SEQUENCE, der(0xa0, der(INTEGER, new byte[] {2})),
                    der(INTEGER, BigInteger.valueOf(System.nanoTime() & Long.MAX_VALUE).toByteArray()), algorithm, name,
                    der(SEQUENCE, time(from), time(from.plus(Duration.ofDays(8)))), name, pair.getPublic().getEncoded(),
                    der(0xa3, der(SEQUENCE, names)));
            var signature = Signature.getInstance(kind.signature);
            signature.initSign(pair.getPrivate());
            signature.update(toBeSigned);
            var whole = der(SEQUENCE, toBeSigned, algorithm, der(BITS, new byte[1], signature.sign()));
            var certificate = CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(whole));
            return new ThrowAwayCertificate((X509Certificate) certificate, pair.getPrivate());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this Java runtime can't make a certificate with a key of kind " + kind, e);
        }
    }

    /**
     * The certificate in PEM form.
     *
     * @return lines
     */
    public byte[] certificatePem() {
        try {
            return pem("CERTIFICATE", certificate.getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // it was made from this encoding
        }
    }

    /**
     * The key in PEM form, not encrypted.
     *
     * @return lines
     */
    public byte[] keyPem() {
        return pem("PRIVATE KEY", key.getEncoded());
    }

    private static byte[] pem(String label, byte[] der) {
        return bytes("-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END " + label + "-----\n");
    }

    private static byte[] time(Instant instant) {
        return der(UTC_TIME, bytes(TIME.format(instant)));
    }

    private static byte[] bytes(String ascii) {
        return ascii.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] der(int tag, byte[]... parts) {
        var content = new ByteArrayOutputStream();
        for (var part : parts) {
            content.writeBytes(part);
        }
        int length = content.size();
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (length >= 0x100) {
            out.write(0x82);
            out.write(length >> 8);
        } else if (length >= 0x80) {
            out.write(0x81);
        }
        out.write(length);
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }
}
