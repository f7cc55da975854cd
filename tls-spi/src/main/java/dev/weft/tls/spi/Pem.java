package dev.weft.tls.spi;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** Reads PEM (RFC 7468). Each error names where the text came from. */
final class Pem {
    private static final Pattern BLOCK = Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

    private Pem() {}

    /** The JDK's exceptions of the two usual mistakes say no more than the file's name. */
    static TlsException unreadable(Path file, IOException e) {
        var reason = e instanceof NoSuchFileException ? "there is no such file"
                : e instanceof AccessDeniedException ? "permission denied"
                : e.getMessage() == null ? e.toString() : e.getMessage();
        return new TlsException(file + " can't be read (" + reason + "): name a PEM file that this process may read", e);
    }

    static CertifiedKey certifiedKey(String chainName, byte[] chainPem, String keyName, byte[] keyPem) throws TlsException {
        var chain = certificates(chainName, chainPem);
        var publicKey = chain.get(0).getPublicKey();
        var algorithm = publicKey.getAlgorithm();
        if (!algorithm.equals("RSA") && !algorithm.equals("EC")) {
            throw new TlsException(chainName + " is for a key of kind " + algorithm + ": use an RSA or ECDSA (EC) certificate");
        }
        var key = privateKey(keyName, keyPem, publicKey);
        if (!belongTogether(key, publicKey)) {
            throw new TlsException("the key in " + keyName + " is not that of the first certificate in " + chainName
                    + ": put the key's own certificate first, or name the file of its key");
        }
        return new CertifiedKey(chain, key);
    }

    static List<X509Certificate> certificates(String name, byte[] pem) throws TlsException {
        var certificates = new ArrayList<X509Certificate>();
        var blocks = BLOCK.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        try {
            var factory = CertificateFactory.getInstance("X.509");
            while (blocks.find()) {
                if (blocks.group(1).endsWith("CERTIFICATE")) {
                    var der = new ByteArrayInputStream(decode(name, blocks.group(2)));
                    certificates.add((X509Certificate) factory.generateCertificate(der));
                }
            }
        } catch (CertificateException e) {
            throw new TlsException(name + " holds a certificate that can't be read (" + e.getMessage() + ")", e);
        }
        if (certificates.isEmpty()) {
            throw new TlsException(name + " holds no certificate: it needs at least one block of -----BEGIN CERTIFICATE-----");
        }
        return certificates;
    }

    private static PrivateKey privateKey(String name, byte[] pem, PublicKey publicKey) throws TlsException {
        var blocks = BLOCK.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        while (blocks.find()) {
            var label = blocks.group(1);
            if (!label.endsWith("PRIVATE KEY")) {
                continue;
            }
            if (label.startsWith("ENCRYPTED") || blocks.group(2).contains("ENCRYPTED")) {
                throw new TlsException("the key in " + name
                        + " is encrypted: decrypt it (openssl pkey -in FILE -out FILE) and guard the file");
            }
            var der = decode(name, blocks.group(2));
            // PKCS #1 and SEC 1 lack the kind of key, which the certificate knows: the same AlgorithmIdentifier in both.
            var pkcs8 = label.equals("PRIVATE KEY") ? der : pkcs8(algorithmIdentifier(publicKey.getEncoded()), der);
            try {
                return KeyFactory.getInstance(publicKey.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (GeneralSecurityException e) {
                throw new TlsException("the key in " + name + " can't be read as a key of kind " + publicKey.getAlgorithm()
                        + ", which its certificate is for (" + e.getMessage() + ")", e);
            }
        }
        throw new TlsException(name + " holds no private key: it needs a block of -----BEGIN PRIVATE KEY-----");
    }

    private static byte[] decode(String name, String base64) throws TlsException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new TlsException(name + " is not well-formed PEM (" + e.getMessage() + ")", e);
        }
    }

    private static boolean belongTogether(PrivateKey privateKey, PublicKey publicKey) {
        try {
            var probe = new byte[32];
            var signature = Signature.getInstance(publicKey.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
            signature.initSign(privateKey);
            signature.update(probe);
            var signed = signature.sign();
            signature.initVerify(publicKey);
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** The first member of a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7), header included. */
    private static byte[] algorithmIdentifier(byte[] publicKeyInfo) {
        int start = content(publicKeyInfo, 0);
        int inner = content(publicKeyInfo, start);
        int length = publicKeyInfo[start + 1] & 0xff;
        return Arrays.copyOfRange(publicKeyInfo, start, inner + length); // always shorter than 128 bytes
    }

    private static int content(byte[] der, int at) {
        int length = der[at + 1] & 0xff;
        return at + 2 + (length < 0x80 ? 0 : length & 0x7f);
    }

    private static byte[] pkcs8(byte[] algorithmIdentifier, byte[] key) {
        var content = new ByteArrayOutputStream();
        content.writeBytes(new byte[] {2, 1, 0}); // version 0
        content.writeBytes(algorithmIdentifier);
        content.writeBytes(tagged(4, key));
        return tagged(0x30, content.toByteArray());
    }

    private static byte[] tagged(int tag, byte[] content) {
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
