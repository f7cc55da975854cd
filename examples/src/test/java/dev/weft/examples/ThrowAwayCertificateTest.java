package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.KeyMaterial;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ThrowAwayCertificateTest {

    @ParameterizedTest
    @EnumSource(ThrowAwayCertificate.Kind.class)
    void whoTrustsItFindsItGoodForItsName(ThrowAwayCertificate.Kind kind) throws Exception {
        var made = ThrowAwayCertificate.make(kind, "mx.example.net");
        var verdict = CertificateJudge.trusting(List.of(made.certificate()))
                .judgeServer(List.of(made.certificate()), List.of("mx.example.net"));
        assertThat(verdict.verified()).as(verdict.toString()).isTrue();
        assertThat(verdict.selfSigned()).isTrue();
        assertThat(KeyMaterial.pem(made.certificatePem(), made.keyPem()).load()).singleElement()
                .satisfies(key -> assertThat(key.algorithm()).isEqualTo(kind.name()));
    }
}
