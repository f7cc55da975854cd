package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.smtp.Reply;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class KnownOffersTest {

    private final KnownOffers<Integer> offers = new KnownOffers<>(Duration.ofHours(1));

    /** Whoever sends to servers of its own must not fill the memory with what they say. */
    @Test
    void wordyServersAreForgottenEarlier() {
        var wordy = Reply.plain(250, Collections.nCopies(640, "x".repeat(96)).toArray(String[]::new));
        assertThat(wordy.length()).as("what one server may say").isBetween(60_000, 66_000);
        for (int i = 0; i < 5000; i++) {
            offers.learn(i, wordy, 0);
            offers.learn(i, wordy, 1);
            offers.notAsked(i, 2);
        }
        long kept = 0;
        for (int i = 0; i < 5000; i++) {
            kept += offers.last(i).map(Reply::length).orElse(0);
        }
        assertThat(kept).isBetween(15_000_000L, 17_000_000L);
        assertThat(offers.last(4999)).contains(wordy);
    }

    @Test
    void manyServersOfFewWordsAreRemembered() {
        var hello = Reply.plain(250, "mx.example.net", "PIPELINING", "8BITMIME", "SMTPUTF8");
        for (int i = 0; i < 20_000; i++) {
            offers.learn(i, hello, 0);
        }
        assertThat(offers.isFresh(9_999, 1)).isFalse();
        assertThat(offers.isFresh(10_000, 1)).isTrue();
        offers.notAsked(30_000, 1);
        assertThat(offers.last(30_000)).isEmpty();
        assertThat(offers.isFresh(10_001, 1)).as("the one not asked about for longest").isFalse();
    }
}
