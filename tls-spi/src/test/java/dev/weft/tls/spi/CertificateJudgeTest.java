package dev.weft.tls.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.tls.testkit.TestCertificate;
import dev.weft.tls.testkit.TestCertificate.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificateJudgeTest {
    private static final TestCertificate ROOT = TestCertificate.of(Kind.EC, "root").authority().build();
    private static final TestCertificate LEAF = TestCertificate.of(Kind.EC, "leaf").names("mx.example").issuer(ROOT).build();

    @Test
    void chainOverAnIntermediateIsTrusted(@TempDir Path directory) throws Exception {
        var between = TestCertificate.of(Kind.RSA, "between").authority().issuer(ROOT).build();
        var leaf = TestCertificate.of(Kind.EC, "leaf").names("mx.example").issuer(between).build();
        var roots = Files.write(directory.resolve("roots.pem"), ROOT.chainPem());
        var judge = CertificateJudge.trusting(roots);

        assertThat(judge.judgeServer(leaf.certified().chain(), List.of("mx.example")).verified()).isTrue();
        assertThat(judge.judgeClient(leaf.certified().chain(), List.of()).trusted()).isTrue();
        assertThat(judge.judgeServer(leaf.certified().chain().subList(0, 1), List.of("mx.example")).trusted()).isFalse();
    }

    @Test
    void firstOfTheWantedNamesThatMatchesIsTold() throws Exception {
        var judge = CertificateJudge.trusting(List.of(ROOT.certificate()));

        var verdict = judge.judgeServer(LEAF.certified().chain(), List.of("other.example", "mx.example"));

        assertThat(verdict.matched()).contains("mx.example");
        assertThat(judge.judgeServer(LEAF.certified().chain(), List.of()).verified()).isFalse();
    }

    @Test
    void selfSignedCertificateAmongTheRootsIsTrusted() throws Exception {
        var own = TestCertificate.of(Kind.EC, "own").names("mx.example").build();

        var judge = CertificateJudge.trusting(List.of(own.certificate()));
        var verdict = judge.judgeServer(own.certified().chain(), List.of("mx.example"));

        assertThat(verdict.verified()).isTrue();
        assertThat(verdict.selfSigned()).isTrue();
    }

    @Test
    void noCertificateIsNothingGood() throws Exception {
        var verdict = CertificateJudge.platform().judgeServer(List.of(), List.of("mx.example"));

        assertThat(verdict.presented() || verdict.trusted() || verdict.verified()).isFalse();
    }

    @Test
    void strangerIsNotTrustedByThePlatform() throws Exception {
        var verdict = CertificateJudge.platform().judgeServer(LEAF.certified().chain(), List.of("mx.example"));

        assertThat(verdict.trusted()).isFalse();
        assertThat(verdict.detail()).isNotEmpty().doesNotContain("\n");
        assertThat(verdict.matched()).contains("mx.example");
    }

    @Test
    void noRootsAreRefused() {
        assertThatThrownBy(() -> CertificateJudge.trusting(List.of())).isInstanceOf(TlsException.class);
    }

    @Test
    void judgementIsRememberedUntilValidityChanges() {
        var trust = new CountingTrust();
        var now = new Instant[] {Instant.now()};
        var judge = new CertificateJudge(trust, () -> now[0]);
        var end = now[0].plus(Duration.ofMinutes(10));
        var brief = TestCertificate.of(Kind.EC, "brief").issuer(ROOT).valid(now[0].minus(Duration.ofDays(1)), end).build();
        var chain = brief.certified().chain();

        judge.judgeServer(chain, List.of());
        judge.judgeServer(chain, List.of("any.example"));
        assertThat(trust.asked).isEqualTo(1);
        judge.judgeClient(chain, List.of());
        assertThat(trust.asked).as("a client is another matter").isEqualTo(2);
        now[0] = end.plusSeconds(2);
        assertThat(judge.judgeServer(chain, List.of()).expired()).isTrue();
        assertThat(trust.asked).as("its time is over").isEqualTo(3);
        now[0] = now[0].plus(Duration.ofHours(2));
        judge.judgeServer(chain, List.of());
        assertThat(trust.asked).as("remembered for long enough").isEqualTo(4);
    }

    private static final class CountingTrust implements X509TrustManager {
        private int asked;

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {
            asked++;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            asked++;
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
