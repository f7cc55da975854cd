package dev.weft.tls.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 9525 section 6. */
class CertificateNamesTest {

    @ParameterizedTest
    @CsvSource({
        "mx.example,        mx.example,         true",
        "mx.example,        MX.Example.,        true",
        "MX.EXAMPLE,        mx.example,         true",
        "mx.example,        mx2.example,        false",
        "mx.example,        a.mx.example,       false",
        "*.mail.example,    mx1.mail.example,   true",
        "*.mail.example,    mail.example,       false",
        "*.mail.example,    a.b.mail.example,   false",
        "*.mail.example,    .mail.example,      false",
        "m*.mail.example,   mx.mail.example,    false",
        "*x.mail.example,   mx.mail.example,    false",
        "mx.*.example,      mx.mail.example,    false",
        "*.example,         mx.example,         false",
        "*,                 example,            false",
        "*.mail.example,    *.mail.example,     false",
        "192.0.2.1,         192.0.2.1,          true",
        "192.0.2.1,         [192.0.2.1],        true",
        "192.0.2.1,         192.0.2.2,          false",
        "2001:db8::1,       2001:DB8:0:0:0:0:0:1, true",
        "2001:db8::1,       [2001:db8::1],      true",
        "*.0.2.1,           192.0.2.1,          false",
        "xn--bcher-kva.mail.example, b\u00fccher.mail.example, true",
        "mx.example,        '',                 false",
        "mx.example,        '.',                false"})
    void nameOfTheCertificateMatches(String certified, String wanted, boolean matches) {
        var certificate = TestCertificate.of(Kind.EC, "any").names("first.invalid", certified).build();

        assertThat(CertificateJudge.isFor(certificate.certificate(), wanted)).isEqualTo(matches);
    }

    /** Java looks up in the DNS what only resembles an address, and what has a colon but does not begin like one. */
    @ParameterizedTest
    @CsvSource({
        "192.0.2.1,         true",
        "255.255.255.0,     true",
        "300.1.1.1,         false",
        "192.0.2.1.,        false",
        "192.0.2,           false",
        "192.0.2.1:25,      true",
        "192.0.2.010,       false",
        "2001:db8::1,       true",
        "::,                true",
        "::ffff:192.0.2.1,  true",
        "fe80::1%eth0,      false",
        "mx:25,             false",
        "mx.example:25,     false",
        "beef,              false",
        "mx.example,        false",
        "'',                false"})
    void onlyLiteralsAreTakenForAddresses(String text, boolean literal) {
        assertThat(CertificateNames.looksLiteral(text)).isEqualTo(literal);
    }

    @Test
    void commonNameIsNoName() {
        var certificate = TestCertificate.of(Kind.EC, "mx.example").build();

        assertThat(CertificateJudge.isFor(certificate.certificate(), "mx.example")).isFalse();
    }

    @Test
    void nameIsNotCutAtAnOddCharacter() {
        for (var odd : List.of("mx.example\0.evil.invalid", "mx.example\n.evil.invalid", "mx.example\r\n")) {
            var certificate = TestCertificate.of(Kind.EC, "odd").names(odd).build();

            assertThat(CertificateJudge.isFor(certificate.certificate(), "mx.example")).isFalse();
            assertThat(CertificateNames.of(certificate.certificate()).all()).allMatch(name -> name.matches("[ -~]*"));
        }
    }
}
