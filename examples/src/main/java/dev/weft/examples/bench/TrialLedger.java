package dev.weft.examples.bench;

import dev.weft.relay.TransactionRecord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What became of each message of a trial, as its client, the server and the proxy tell it. Any thread. */
final class TrialLedger {

    /** How a message ended at its client. */
    enum Outcome {
        /** 250 after its end. */
        DELIVERED,
        /** 5xx. */
        REFUSED,
        /** 4xx. */
        DEFERRED,
        /** RSET. */
        WITHDRAWN,
        /** The client went away before its end. */
        LEFT_BEFORE,
        /** The client went away without waiting for the reply after its end. */
        LEFT_AFTER
    }

    /** A message that the server has taken. */
    static final class Taken {
        private final Set<Integer> recipients;
        private volatile boolean answered;

        private Taken(Set<Integer> recipients) {
            this.recipients = recipients;
        }

        /** The 250 was written. */
        void answered() {
            answered = true;
        }
    }

    private record Ended(Outcome outcome, String reply, Set<Integer> recipients) {}

    private final Map<String, Integer> texts = new ConcurrentHashMap<>();
    private final Map<String, Ended> ended = new ConcurrentHashMap<>();
    private final Map<String, Taken> taken = new ConcurrentHashMap<>();
    private final Map<String, TransactionRecord.Outcome> records = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> broken = new ConcurrentLinkedQueue<>();

    /** A client is about to send a message. */
    void sends(String id, String text) {
        texts.put(id, text.hashCode());
    }

    /** The server has taken a message. */
    Taken taken(String id, String text, Set<Integer> recipients) {
        var fresh = new Taken(recipients);
        if (taken.putIfAbsent(id, fresh) != null) {
            broken(id + ": doubled");
        }
        if (!Integer.valueOf(text.hashCode()).equals(texts.get(id))) {
            broken(id + ": not what its client sent");
        }
        return fresh;
    }

    /**
     * A message ended at its client.
     *
     * @param reply the one that decided
     * @param recipients those that the client was told are good
     */
    void ended(String id, Outcome outcome, String reply, Set<Integer> recipients) {
        if (ended.put(id, new Ended(outcome, reply, recipients)) != null) {
            broken(id + ": ended twice");
        }
    }

    /** A transaction ended at the proxy. */
    void recorded(String id, TransactionRecord.Outcome outcome) {
        if (records.put(id, outcome) != null) {
            broken(id + ": recorded twice");
        }
    }

    /** Something that must not happen did. */
    void broken(String what) {
        broken.add(what);
    }

    /** What came out. */
    record Totals(int messages, Map<Outcome, Integer> outcomes, int taken, int uncertain, int uncertainTaken) {}

    /** Compares the sides; what does not fit is added to what is broken. */
    Totals compare() {
        var outcomes = new EnumMap<Outcome, Integer>(Outcome.class);
        int uncertainTaken = 0;
        for (var each : ended.entrySet()) {
            var id = each.getKey();
            var end = each.getValue();
            outcomes.merge(end.outcome, 1, Integer::sum);
            var at = taken.get(id);
            if (at != null && end.outcome == Outcome.DEFERRED) {
                uncertainTaken++;
            }
            var wrong = misfit(end, at, records.get(id));
            if (wrong != null) {
                broken(id + ": " + wrong + "; " + end + ", " + (at == null ? "not taken" : "taken") + ", " + records.get(id));
            }
        }
        for (var id : taken.keySet()) {
            if (!ended.containsKey(id)) {
                broken(id + ": taken, but without an end at its client");
            }
        }
        int uncertain = (int) records.values().stream().filter(TransactionRecord.Outcome.UNCERTAIN::equals).count();
        return new Totals(ended.size(), outcomes, taken.size(), uncertain, uncertainTaken);
    }

    private static String misfit(Ended end, Taken at, TransactionRecord.Outcome recorded) {
        boolean uncertain = recorded == TransactionRecord.Outcome.UNCERTAIN;
        return switch (end.outcome) {
            case DELIVERED -> at == null ? "lost"
                    : !at.recipients.equals(end.recipients) ? "taken for recipients " + at.recipients
                    : recorded != TransactionRecord.Outcome.ACCEPTED ? "delivered, but the record does not say so" : null;
            case DEFERRED -> {
                if (at == null) {
                    yield recorded == TransactionRecord.Outcome.ACCEPTED ? "deferred, but the record says accepted" : null;
                }
                // A proxy that gave up may have been told too late.
                boolean replyLost = !at.answered || end.reply.contains("in time");
                yield !uncertain ? "may be doubled, and the record does not say so"
                        : !replyLost ? "may be doubled, though the reply was not lost" : null;
            }
            case REFUSED -> at != null ? "taken, though the client was told 5xx" : uncertain ? "uncertain after a refusal" : null;
            case WITHDRAWN, LEFT_BEFORE -> at != null ? "taken, though it was never ended" : null;
            case LEFT_AFTER -> at != null && recorded == TransactionRecord.Outcome.REFUSED ? "taken, recorded as refused" : null;
        };
    }

    /** What the clients of deferred messages were told, and how often. */
    Map<String, Integer> deferrals() {
        var told = new TreeMap<String, Integer>();
        for (var end : ended.values()) {
            if (end.outcome == Outcome.DEFERRED) {
                told.merge(end.reply.replaceAll("\\bm\\d+ |\\d+(\\.\\d+){3}:\\d+|(?<= )\\d+(?= )", "…"), 1, Integer::sum);
            }
        }
        return told;
    }

    List<String> broken() {
        return new ArrayList<>(broken);
    }
}
