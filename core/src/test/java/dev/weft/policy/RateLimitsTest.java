package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.smtp.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RateLimitsTest {

    private final ManualTime time = new ManualTime();

    private static String mail(RateLimits limits, String client, String sender) {
        var transaction = new TestSession(client, "203.0.113.25").mail(sender);
        return TestSession.text(limits.mail(transaction, transaction.mail()));
    }

    private static String rcpt(RateLimits limits, TestSession.TestTransaction transaction) {
        return TestSession.text(limits.rcpt(transaction, Command.of("RCPT TO:<b@example.net>")));
    }

    @Test
    void theBurstPassesThenOneForEachInterval() {
        var limits = RateLimits.of(new Rate(60, Duration.ofHours(1), 3)).time(time).build();
        for (int i = 0; i < 3; i++) {
            assertThat(mail(limits, "192.0.2.1", "a@example.com")).isEqualTo("Proceed");
        }
        assertThat(mail(limits, "192.0.2.1", "a@example.com"))
                .contains("450 4.7.1 Your limit of 60 messages in 1 h is used up; try again in 60 s");
        assertThat(mail(limits, "192.0.2.2", "a@example.com")).isEqualTo("Proceed");
        time.pass(Duration.ofSeconds(59));
        assertThat(mail(limits, "192.0.2.1", "a@example.com")).contains("try again in 1 s");
        time.pass(Duration.ofSeconds(1));
        assertThat(mail(limits, "192.0.2.1", "a@example.com")).isEqualTo("Proceed");
        assertThat(mail(limits, "192.0.2.1", "a@example.com")).contains("450");
        time.passDays(1);
        for (int i = 0; i < 3; i++) {
            assertThat(mail(limits, "192.0.2.1", "a@example.com")).isEqualTo("Proceed");
        }
        assertThat(mail(limits, "192.0.2.1", "a@example.com")).contains("450");
        assertThat(limits.accounts()).containsExactlyInAnyOrder(
                new RateLimits.Account("192.0.2.2", new Rate(60, Duration.ofHours(1), 3), 3, 1, 0),
                new RateLimits.Account("192.0.2.1", new Rate(60, Duration.ofHours(1), 3), 0, 7, 4));
    }

    @Test
    void overADayNeverMoreThanTheRateAndTheBurst() {
        var limits = RateLimits.of(Rate.parse("100/h")).time(time).build();
        int passed = 0;
        for (int second = 0; second < 86_400; second += 7) {
            passed += limits.take("x").isEmpty() ? 1 : 0;
            time.pass(Duration.ofSeconds(7));
        }
        assertThat(passed).isBetween(2_399 + 100, 2_400 + 100);
    }

    @Test
    void countsRecipientsWhereAskedTo() {
        var limits = RateLimits.of(Rate.of(2, Duration.ofMinutes(2))).recipients().time(time).build();
        var transaction = new TestSession("192.0.2.1", "203.0.113.25").mail("a@example.com");
        assertThat(TestSession.text(limits.mail(transaction, transaction.mail()))).isEqualTo("Proceed");
        assertThat(rcpt(limits, transaction)).isEqualTo("Proceed");
        assertThat(rcpt(limits, transaction)).isEqualTo("Proceed");
        assertThat(rcpt(limits, transaction))
                .contains("450 4.7.1 Your limit of 2 recipients in 2 min is used up; try again in 60 s");
    }

    @Test
    void sendersAreOneInAnyCaseAndBouncesGoByTheirClient() {
        var limits = RateLimits.of(Rate.of(1, Duration.ofHours(1))).bySender().time(time).build();
        assertThat(mail(limits, "192.0.2.1", "a@example.com")).isEqualTo("Proceed");
        assertThat(mail(limits, "192.0.2.2", "A@EXAMPLE.com")).contains("450");
        assertThat(mail(limits, "192.0.2.1", "")).isEqualTo("Proceed");
        assertThat(mail(limits, "192.0.2.2", "")).isEqualTo("Proceed");
        assertThat(mail(limits, "192.0.2.2", "")).contains("450");
    }

    @Test
    void ipv6ClientsAreTheirSubscribersNetwork() {
        var limits = RateLimits.of(Rate.of(1, Duration.ofHours(1))).time(time).build();
        assertThat(mail(limits, "2001:db8:1:2::1", "a@example.com")).isEqualTo("Proceed");
        assertThat(mail(limits, "2001:db8:1:2:ffff::9", "a@example.com")).contains("450");
        assertThat(mail(limits, "2001:db8:1:3::1", "a@example.com")).isEqualTo("Proceed");
        assertThat(limits.accounts()).extracting(RateLimits.Account::key)
                .containsExactlyInAnyOrder("2001:db8:1:2::/64", "2001:db8:1:3::/64");
    }

    @Test
    void eachAccountHasItsOwnRateAndMayHaveNone() {
        var limits = RateLimits.of(account -> switch (account) {
            case "192.0.2.1" -> Optional.<Rate>empty();
            case "192.0.2.2" -> Optional.of(Rate.parse("2/d"));
            default -> Optional.of(Rate.parse("1/d"));
        }).time(time).build();
        var passed = new int[4];
        for (int i = 0; i < 30; i++) {
            int account = 1 + i % 3;
            passed[account] += mail(limits, "192.0.2." + account, "a@example.com").equals("Proceed") ? 1 : 0;
        }
        assertThat(passed).containsExactly(0, 10, 2, 1);
        var exempt = RateLimits.of(Rate.parse("1/d")).by(transaction -> Optional.empty()).build();
        assertThat(mail(exempt, "192.0.2.1", "a@example.com") + mail(exempt, "192.0.2.1", "a@example.com"))
                .isEqualTo("ProceedProceed");
    }

    @Test
    void aClockSetBackMakesNobodyWaitLongerThanForABurst() {
        var limits = RateLimits.of(Rate.of(2, Duration.ofHours(1))).time(time).build();
        assertThat(limits.take("x")).isEmpty();
        time.passDays(-300);
        assertThat(limits.take("x")).contains(Duration.ofMinutes(30));
        time.pass(Duration.ofMinutes(30));
        assertThat(limits.take("x")).isEmpty();
    }

    @Test
    void fourThreadsTogetherGetWhatIsThere() throws Exception {
        var limits = RateLimits.of(Rate.of(1000, Duration.ofHours(1))).time(time).build();
        var passed = new AtomicInteger();
        var threads = Executors.newFixedThreadPool(4);
        try {
            Callable<Void> work = () -> {
                for (int i = 0; i < 1000; i++) {
                    passed.addAndGet(limits.take("x").isEmpty() ? 1 : 0);
                }
                return null;
            };
            for (var done : threads.invokeAll(List.of(work, work, work, work))) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(passed).hasValue(1000);
    }

    @Test
    void aRestartFillsNobodysBucket(@TempDir Path directory) throws IOException {
        var file = directory.resolve("state");
        var limits = RateLimits.of(Rate.of(2, Duration.ofHours(1))).time(time).build();
        limits.take("used up");
        limits.take("used up");
        limits.take("half");
        assertThat(StateFile.of(file, limits).save()).isEqualTo(2);
        time.pass(Duration.ofMinutes(10));
        var again = RateLimits.of(Rate.of(2, Duration.ofHours(1))).time(time).build();
        StateFile.of(file, again).load();
        assertThat(again.take("used up")).contains(Duration.ofMinutes(20));
        assertThat(again.take("half")).isEmpty();
        assertThat(again.take("half")).contains(Duration.ofMinutes(20));
        time.passDays(1);
        assertThat(StateFile.of(file, again).save()).as("full buckets are not worth a line").isZero();
        Files.writeString(file, "weft-state 1\nrate-limits x\nrate-limits x 9223372036854775808\n"
                + "rate-limits y 9223372036854775807\nrate-limits z -9223372036854775808\nend 4\n");
        assertThat(StateFile.of(file, again).load()).isEqualTo(new StateFile.Loaded(1, 3, 0, true));
        assertThat(again.take("y")).contains(Duration.ofMinutes(30));
    }

    @Test
    void longNamesAreKeptShort() {
        var limits = RateLimits.of(Rate.of(1, Duration.ofHours(1))).bySender().time(time).most(2).build();
        assertThat(limits.take("a".repeat(5000) + "1")).isEmpty();
        assertThat(limits.take("a".repeat(5000) + "2")).isEmpty();
        assertThat(limits.take("a".repeat(5000) + "1")).isPresent();
        assertThat(limits.take("b")).isEmpty();
        assertThat(limits.accounts()).hasSize(2).allMatch(account -> account.key().length() <= 320);
    }

    @ParameterizedTest
    @CsvSource({"100/h, 100, PT1H", "1/s, 1, PT1S", "20/m, 20, PT1M", "5000/d, 5000, PT24H"})
    void ratesAreRead(String text, int count, Duration per) {
        assertThat(Rate.parse(text)).isEqualTo(new Rate(count, per, count));
    }

    @ParameterizedTest
    @CsvSource({"''", "100", "/h", "100/", "100/w", "-1/h", "1.5/h", "0/h", "9999999999/h", "100/hh", "100 /h"})
    void whatIsNoRateIsNamed(String text) {
        assertThatThrownBy(() -> Rate.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ratesThatNeverSaveUpAreRefused() {
        assertThatThrownBy(() -> new Rate(1, Duration.ofDays(300), 2)).hasMessageContaining("smaller");
        assertThatThrownBy(() -> new Rate(1, Duration.ZERO, 1)).hasMessageContaining("1 ms");
        assertThatThrownBy(() -> new Rate(1, Duration.ofDays(1), 0)).hasMessageContaining("burst");
    }
}
