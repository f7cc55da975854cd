package dev.weft.tls.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PemTest {
    private static final TestCertificate RSA = TestCertificate.of(Kind.RSA, "rsa.example").build();
    private static final TestCertificate EC = TestCertificate.of(Kind.EC, "ec.example").build();

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** A PKCS #8 key ends with an octet string that holds the older form. */
    private static String olderForm(String label, byte[] pkcs8) {
        for (int at = 3; at < pkcs8.length; at++) {
            int header = pkcs8[at + 1] == (byte) 0x82 ? 4 : pkcs8[at + 1] == (byte) 0x81 ? 3 : 2;
            int length = header == 4 ? ByteBuffer.wrap(pkcs8).getShort(at + 2) & 0xffff : pkcs8[at + header - 1] & 0xff;
            if (pkcs8[at] == 4 && at + header + length == pkcs8.length) {
                var body = Base64.getMimeEncoder().encodeToString(Arrays.copyOfRange(pkcs8, at + header, pkcs8.length));
                return "-----BEGIN " + label + "-----\r\n" + body + "\r\n-----END " + label + "-----\r\n";
            }
        }
        throw new AssertionError("no octet string at the end");
    }

    @ParameterizedTest
    @CsvSource({"RSA, RSA PRIVATE KEY", "EC, EC PRIVATE KEY"})
    void olderFormsOfKeysAreRead(Kind kind, String label) throws Exception {
        var certificate = kind == Kind.RSA ? RSA : EC;
        var key = olderForm(label, certificate.certified().key().getEncoded());

        var loaded = KeyMaterial.pem(certificate.chainPem(), ascii("a line of text\r\n" + key)).load();

        assertThat(loaded).singleElement().satisfies(read -> {
            assertThat(read.key().getEncoded()).isEqualTo(certificate.certified().key().getEncoded());
            assertThat(read.algorithm()).isEqualTo(kind.name());
        });
    }

    @Test
    void chainAndKeyMayBeInOneFile(@TempDir Path directory) throws Exception {
        var file = Files.write(directory.resolve("both.pem"),
                ascii(new String(EC.keyPem(), StandardCharsets.US_ASCII) + new String(EC.chainPem(), StandardCharsets.US_ASCII)));

        assertThat(KeyMaterial.pem(file, file).load()).containsExactly(EC.certified());
    }

    @Test
    void keyOfAnotherCertificateIsRefusedNamingBothFiles(@TempDir Path directory) throws Exception {
        var other = TestCertificate.of(Kind.EC, "other.example").build();
        var chain = Files.write(directory.resolve("chain.pem"), EC.chainPem());
        var key = Files.write(directory.resolve("key.pem"), other.keyPem());

        assertThatThrownBy(() -> KeyMaterial.pem(chain, key).load()).isInstanceOf(TlsException.class)
                .hasMessageContaining(chain.toString()).hasMessageContaining(key.toString());
        assertThatThrownBy(() -> KeyMaterial.pem(EC.chainPem(), RSA.keyPem()).load()).isInstanceOf(TlsException.class);
    }

    @Test
    void whatCantBeUsedIsNamedWithTheMend(@TempDir Path directory) {
        var missing = directory.resolve("missing.pem");
        assertThatThrownBy(() -> KeyMaterial.pem(missing, missing).load()).hasMessage(
                missing + " can't be read (there is no such file): name a PEM file that this process may read");
        assertThatThrownBy(() -> CertificateJudge.trusting(missing)).hasMessageContaining("there is no such file");
        assertThatThrownBy(() -> KeyMaterial.pem(directory, directory).load()).hasMessageContaining("Is a directory");
        assertThatThrownBy(() -> KeyMaterial.pem(missing, missing).stamp()).hasMessageContaining(missing.toString());
        assertThatThrownBy(() -> KeyMaterial.pem(EC.keyPem(), EC.keyPem()).load()).hasMessageContaining("BEGIN CERTIFICATE");
        assertThatThrownBy(() -> KeyMaterial.pem(EC.chainPem(), EC.chainPem()).load()).hasMessageContaining("BEGIN PRIVATE KEY");
        var encrypted = ascii("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n");
        assertThatThrownBy(() -> KeyMaterial.pem(EC.chainPem(), encrypted).load()).hasMessageContaining("openssl pkey");
        var broken = ascii("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertThatThrownBy(() -> KeyMaterial.pem(broken, EC.keyPem()).load()).isInstanceOf(TlsException.class);
    }

    @Test
    void stampChangesWithTheFile(@TempDir Path directory) throws Exception {
        var file = Files.write(directory.resolve("both.pem"), EC.chainPem());
        var material = KeyMaterial.pem(file, file);
        var before = material.stamp();

        assertThat(material.stamp()).isEqualTo(before);
        Files.write(file, RSA.chainPem());
        assertThat(material.stamp()).isNotEqualTo(before);
    }
}
