package dev.weft.policy;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** Time that passes when a test says so. */
final class ManualTime implements InstantSource {

    private volatile Instant now = Instant.parse("2026-03-01T12:00:00Z");

    @Override
    public Instant instant() {
        return now;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    void passDays(int days) {
        pass(Duration.ofDays(days));
    }

    void set(String instant) {
        now = Instant.parse(instant);
    }
}
