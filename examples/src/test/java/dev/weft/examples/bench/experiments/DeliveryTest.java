package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveryTest {

    private static final String SENT = "Nov 30 19:35:02 s1 postfix/smtp[812]: 4dKyBp3nBqz2: to=<s1-fair3@mx1.test>, "
            + "relay=198.51.100.25[198.51.100.25]:25, delay=3.1, delays=1.9/0.01/0.02/1.2, dsn=2.0.0, status=sent "
            + "(250 2.0.0 Ok: queued as 4dKyBr0Vq1z5)";
    private static final String SUSPENDED = "Nov 30 19:35:03 s2 postfix/error[99]: 4dKyBp3nBqz3: to=<s2-fair9@mx1.test>, "
            + "relay=none, delay=4, delays=4/0/0/0, dsn=4.7.0, status=deferred (delivery temporarily suspended: "
            + "host 198.51.100.25[198.51.100.25] refused to talk to me: "
            + "421 4.7.0 mx1.test Error: too many connections from 10.78.1.1)";
    private static final String REFUSED = "Nov 30 19:35:03 s2 postfix/smtp[98]: 4dKyBp3nBqz4: to=<s2-fair8@mx1.test>, "
            + "relay=198.51.100.25[198.51.100.25]:25, delay=4, delays=4/0/0/0, dsn=4.7.0, status=deferred (host "
            + "198.51.100.25[198.51.100.25] refused to talk to me: "
            + "421 4.7.0 mx1.test Error: too many connections from 10.78.1.1)";

    @Test
    void aDeliveryIsSent() {
        assertThat(Delivery.of(SENT)).hasValue(
                new Delivery("4dKyBp3nBqz2", "s1-fair3@mx1.test", "sent", "250 2.0.0 Ok: queued as 4dKyBr0Vq1z5"));
        assertThat(Delivery.of(SENT).orElseThrow().sent()).isTrue();
    }

    @Test
    void aDiscardedMessageIsSentAsWell() {
        var line = "Nov  3 09:05:02 mx1 postfix/discard[7]: 4dKyBr0Vq1z5: to=<a@mx1.test>, relay=none, delay=0, "
                + "delays=0/0/0/0, dsn=2.0.0, status=sent (mx1.test)";
        assertThat(Delivery.of(line)).hasValue(new Delivery("4dKyBr0Vq1z5", "a@mx1.test", "sent", "mx1.test"));
    }

    @Test
    void aSuspendedDestinationIsNoRefusalOfItsOwn() {
        var delivery = Delivery.of(SUSPENDED).orElseThrow();
        assertThat(delivery.suspended()).isTrue();
        assertThat(delivery.refusedForConnections()).isFalse();
        assertThat(delivery.sent()).isFalse();
    }

    @Test
    void tooManyConnectionsAreARefusal() {
        var delivery = Delivery.of(REFUSED).orElseThrow();
        assertThat(delivery.refusedForConnections()).isTrue();
        assertThat(delivery.suspended()).isFalse();
    }

    /** A line that is cut says nothing, or the truth as far as it goes: never another status or recipient. */
    @Test
    void aLineCutAnywhereIsNeverMistaken() {
        for (var line : List.of(SENT, SUSPENDED, REFUSED)) {
            var whole = Delivery.of(line).orElseThrow();
            int reason = line.indexOf(" (") + 2;
            for (int end = 0; end < line.length(); end++) {
                var cut = Delivery.of(line.substring(0, end));
                if (end < reason) {
                    assertThat(cut).as(line.substring(0, end)).isEmpty();
                } else {
                    assertThat(cut).hasValue(
                            new Delivery(whole.queueId(), whole.recipient(), whole.status(), line.substring(reason, end)));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "Nov 30 19:35:02 s1 postfix/qmgr[812]: 4dKyBp3nBqz2: from=<ada@s1.test>, size=4400, nrcpt=1 (queue active)",
        "Nov 30 19:35:02 s1 postfix/qmgr[812]: 4dKyBp3nBqz2: removed",
        "Nov 30 19:35:02 s1 postfix/cleanup[812]: 4dKyBp3nBqz2: hold: header Subject: held from local; from=<a@b> to=<c@d>",
        "Nov 30 19:35:02 mx1 postfix/smtpd[1]: connect from unknown[10.77.1.2]",
        "Nov 30 19:35:02 mx1 postfix/smtpd[1]: warning: to=<a@b>, status=sent (no delivery)",
        "",
        "to=<a@b>, status=sent (x)"})
    void otherLinesTellOfNoDelivery(String line) {
        assertThat(Delivery.of(line)).isEmpty();
    }
}
