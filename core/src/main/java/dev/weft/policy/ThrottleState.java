package dev.weft.policy;

import dev.weft.policy.ThrottleFigures.Step;
import dev.weft.policy.ThrottleFigures.Times;
import dev.weft.smtp.Reply;
import java.time.Duration;
import java.util.EnumMap;

/** What is known of one address at one destination. Not for several threads at once: the map that holds it has the lock. */
final class ThrottleState {

    private static final Step[] STEPS = Step.values();
    private static final ThrottleSign[] SIGNS = ThrottleSign.values();

    /** Sum and number of each step's times come first, in milliseconds. */
    private static final int ACCEPTED = 2 * STEPS.length;
    private static final int DEFERRED = ACCEPTED + 1;
    private static final int CLOSING = ACCEPTED + 2;
    private static final int REFUSED = ACCEPTED + 3;
    private static final int UNREACHABLE = ACCEPTED + 4;
    private static final int SIGN = ACCEPTED + 5;

    /** One slow answer is no trend. */
    private static final double LEAST_SAMPLES = 3;
    /** One refusal is no throttling: a second one within the half-life is. */
    private static final double LEAST_SIGNS = 1.5;
    private static final double LEAST_SHARE = 0.1;
    private static final int SHOWN = 160;

    private final ThrottleMonitorBuilder settings;
    private final DecayingCounts recent;
    private final DecayingCounts usual;
    /** Nothing was accepted since {@link #lastBlocked}. */
    private boolean blocked;
    private long lastBlocked;
    private final EnumMap<ThrottleSign, Reply> last;
    /** The level that the listener was told last. */
    ThrottleLevel told = ThrottleLevel.CLEAR;

    ThrottleState(ThrottleMonitorBuilder settings) {
        this.settings = settings;
        recent = new DecayingCounts(SIGN + SIGNS.length, settings.recent);
        usual = new DecayingCounts(ACCEPTED, settings.usual);
        last = new EnumMap<>(ThrottleSign.class);
    }

    /** A copy, so that texts are made of it outside the lock. */
    ThrottleState(ThrottleState copied) {
        settings = copied.settings;
        recent = new DecayingCounts(copied.recent);
        usual = new DecayingCounts(copied.usual);
        blocked = copied.blocked;
        lastBlocked = copied.lastBlocked;
        last = new EnumMap<>(copied.last);
    }

    void took(Step step, Duration time, long now) {
        double millis = time.toNanos() / 1e6;
        for (var counts : new DecayingCounts[] {recent, usual}) {
            counts.add(2 * step.ordinal(), millis, now);
            counts.add(2 * step.ordinal() + 1, 1, now);
        }
    }

    void accepted(long now) {
        recent.add(ACCEPTED, 1, now);
        blocked = false;
    }

    void unreachable(long now) {
        recent.add(UNREACHABLE, 1, now);
    }

    void refused(Reply reply, ThrottleSign sign, long now) {
        recent.add(reply.isTransient() ? DEFERRED : REFUSED, 1, now);
        if (reply.code() == 421) {
            recent.add(CLOSING, 1, now);
        }
        if (sign != ThrottleSign.NONE) {
            recent.add(SIGN + sign.ordinal(), 1, now);
            last.put(sign, reply);
        }
        if (sign == ThrottleSign.SOURCE_BLOCKED) {
            blocked = true;
            lastBlocked = now;
        }
    }

    ThrottleFigures figures(ThrottleKey key, long now) {
        var counts = recent.all(now);
        var means = usual.all(now);
        var times = new EnumMap<Step, Times>(Step.class);
        for (var step : STEPS) {
            int at = 2 * step.ordinal();
            if (means[at + 1] > 0) {
                times.put(step, new Times(mean(counts, at), mean(means, at), counts[at + 1]));
            }
        }
        var signs = new EnumMap<ThrottleSign, Double>(ThrottleSign.class);
        for (var sign : SIGNS) {
            if (counts[SIGN + sign.ordinal()] > 0) {
                signs.put(sign, counts[SIGN + sign.ordinal()]);
            }
        }
        var level = level(now);
        return new ThrottleFigures(key, level, evidence(level, counts, now), times, counts[ACCEPTED], counts[DEFERRED],
                counts[CLOSING], counts[REFUSED], signs, counts[UNREACHABLE]);
    }

    ThrottleLevel level(long now) {
        // After a clock was set back: an address that is avoided for this would never be accepted again.
        if (blocked && Math.abs(now - lastBlocked) < settings.blockedFor.toMillis()) {
            return ThrottleLevel.BLOCKED;
        }
        double ofPace = ofPace(now);
        if (ofPace >= LEAST_SIGNS && ofPace >= LEAST_SHARE * all(now)) {
            return ThrottleLevel.THROTTLED;
        }
        return slower(now) != null ? ThrottleLevel.SLOWING : ThrottleLevel.CLEAR;
    }

    private double ofPace(long now) {
        return recent.get(SIGN + ThrottleSign.TOO_MANY_CONNECTIONS.ordinal(), now)
                + recent.get(SIGN + ThrottleSign.RATE_LIMITED.ordinal(), now);
    }

    private double all(long now) {
        return recent.get(ACCEPTED, now) + recent.get(DEFERRED, now) + recent.get(REFUSED, now);
    }

    /** The first step that slows, or null. */
    private Step slower(long now) {
        for (var step : STEPS) {
            int at = 2 * step.ordinal();
            double lately = recent.get(at + 1, now);
            if (lately >= LEAST_SAMPLES) {
                double before = usual.get(at, now) / usual.get(at + 1, now);
                double mean = recent.get(at, now) / lately;
                if (mean >= settings.slowFactor * before && mean - before >= settings.slowAtLeast.toMillis()) {
                    return step;
                }
            }
        }
        return null;
    }

    private String evidence(ThrottleLevel level, double[] counts, long now) {
        return switch (level) {
            case CLEAR -> "";
            case SLOWING -> {
                var step = slower(now);
                int at = 2 * step.ordinal();
                yield step + " takes " + mean(counts, at).toMillis() + " ms lately, "
                        + mean(usual.all(now), at).toMillis() + " ms usually";
            }
            case THROTTLED -> Math.round(ofPace(now)) + " of " + Math.round(all(now)) + " replies lately speak of our pace: "
                    + shown(moreOf(counts));
            case BLOCKED -> "nothing accepted since " + Keys.words(Duration.ofMillis(Math.max(0, now - lastBlocked))) + " ago: "
                    + shown(ThrottleSign.SOURCE_BLOCKED);
        };
    }

    private static ThrottleSign moreOf(double[] counts) {
        double connections = counts[SIGN + ThrottleSign.TOO_MANY_CONNECTIONS.ordinal()];
        return connections >= counts[SIGN + ThrottleSign.RATE_LIMITED.ordinal()]
                ? ThrottleSign.TOO_MANY_CONNECTIONS
                : ThrottleSign.RATE_LIMITED;
    }

    private String shown(ThrottleSign sign) {
        var reply = last.get(sign);
        var text = reply.code() + " " + printable(reply.text());
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "...";
    }

    private static String printable(String text) {
        var shown = new StringBuilder();
        text.chars().limit(2L * SHOWN).forEach(c -> shown.append(c < ' ' || c >= 0x7f && c < 0xa0 ? '?' : (char) c));
        return shown.toString();
    }

    private static Duration mean(double[] counts, int at) {
        return Duration.ofNanos(counts[at + 1] == 0 ? 0 : Math.round(counts[at] / counts[at + 1] * 1e6));
    }
}
