package dev.weft.examples.bench;

import dev.weft.examples.bench.TrialLedger.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/** A tenant's client in a fault trial: sessions of one to three messages, with some whims of its own. One thread. */
final class TrialClient {

    private final InetSocketAddress proxy;
    private final InetAddress own;
    private final Random random;
    private final TrialLedger ledger;
    private final AtomicInteger ids;

    /** @param ids gives each message its number, over all clients */
    TrialClient(InetSocketAddress proxy, InetAddress own, Random random, TrialLedger ledger, AtomicInteger ids) {
        this.proxy = proxy;
        this.own = own;
        this.random = random;
        this.ledger = ledger;
        this.ids = ids;
    }

    /** What the client itself does to a message. */
    private enum Whim {
        NONE, RSET_AFTER_MAIL, RSET_AFTER_RCPT, LEAVE_AFTER_MAIL, LEAVE_AFTER_RCPT, LEAVE_IN_MESSAGE, LEAVE_AT_END
    }

    private Whim whim() {
        int drawn = random.nextInt(100);
        return drawn < 6 ? Whim.values()[1 + drawn] : drawn < 10 ? Whim.RSET_AFTER_RCPT : Whim.NONE;
    }

    /**
     * One session.
     *
     * @param left how many messages are still to be sent by all clients
     */
    void session(AtomicInteger left) {
        var at = "the beginning";
        try (var connection = greeted()) {
            boolean pipelining = random.nextInt(3) > 0 && connection.offers("PIPELINING");
            int messages = 1 + random.nextInt(3);
            for (int i = 1; i <= messages && left.getAndDecrement() > 0; i++) {
                var id = "m" + ids.incrementAndGet();
                at = id;
                boolean quits = pipelining && i == messages && random.nextBoolean();
                var end = new Sending(connection, id, whim(), pipelining, quits).run();
                if (end == Outcome.LEFT_BEFORE || end == Outcome.LEFT_AFTER) {
                    return;
                }
                if (end == null) {
                    connection.quit(true);
                    return;
                }
            }
            if (random.nextInt(10) > 0) {
                connection.quit(false);
            }
        } catch (IOException e) {
            ledger.broken("client of " + at + ": " + e.getMessage() + " (" + e.getClass().getSimpleName() + ")");
        }
    }

    /** A connection whose greeting and EHLO are done. */
    TrialConnection greeted() throws IOException {
        var connection = new TrialConnection(proxy, own);
        try {
            require(connection.reply("greeting"), "220");
            connection.hello();
            return connection;
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    /** Sends a message without whims; false if it was not delivered. */
    boolean send(TrialConnection connection, String id) throws IOException {
        return new Sending(connection, id, Whim.NONE, random.nextBoolean(), false).run() == Outcome.DELIVERED;
    }

    private static void require(String reply, String code) throws IOException {
        if (!reply.startsWith(code)) {
            throw new IOException("not " + code + " but " + reply);
        }
    }

    /** One message over one connection. */
    private final class Sending {
        private final TrialConnection connection;
        private final String id;
        private final Whim whim;
        private final boolean pipelining;
        private final boolean quits;
        private final Set<Integer> accepted = new TreeSet<>();
        private final int recipients = 1 + random.nextInt(4);
        /** Besides, from an old list: so many refusals that its leg should not serve others. */
        private final int unknown = random.nextInt(25) == 0 ? 1 + random.nextInt(6) : 0;
        private String decided;

        Sending(TrialConnection connection, String id, Whim whim, boolean pipelining, boolean quits) {
            this.connection = connection;
            this.id = id;
            this.whim = whim;
            this.pipelining = pipelining;
            this.quits = quits;
        }

        /** How it ended; null if it was delivered, or not, and QUIT was sent along with its end. */
        Outcome run() throws IOException {
            var body = connection.offers("8BITMIME") && random.nextInt(4) == 0 ? " BODY=8BITMIME" : "";
            var group = new StringBuilder("MAIL FROM:<" + id + "@tenant.example>" + body + "\r\n");
            if (!pipelining || whim == Whim.LEAVE_AFTER_MAIL || whim == Whim.RSET_AFTER_MAIL) {
                say(group);
                if (whim == Whim.LEAVE_AFTER_MAIL) {
                    return leave();
                }
                var reply = connection.reply(id);
                if (!reply.startsWith("2")) {
                    return refused(reply, false);
                }
                if (whim == Whim.RSET_AFTER_MAIL) {
                    return withdraw();
                }
            }
            boolean mailSaid = group.isEmpty();
            for (int i = 0; i < recipients + unknown; i++) {
                group.append("RCPT TO:<").append(id).append('.').append(recipient(i)).append("@server.example>\r\n");
                if (!pipelining) {
                    say(group);
                    heard(recipient(i));
                }
            }
            if (whim == Whim.LEAVE_AFTER_RCPT) {
                say(group);
                return leave();
            }
            boolean withdraws = whim == Whim.RSET_AFTER_RCPT;
            if (pipelining) {
                say(group.append(withdraws ? "RSET\r\n" : "DATA\r\n"));
                var mail = mailSaid ? "250" : connection.reply(id);
                if (!mail.startsWith("2")) {
                    decided = mail;
                }
                for (int i = 0; i < recipients + unknown; i++) {
                    heard(recipient(i));
                }
            } else if (withdraws) {
                return withdraw();
            } else if (accepted.isEmpty()) {
                return refused(decided, true);
            } else {
                say(group.append("DATA\r\n"));
            }
            var reply = connection.reply(id);
            if (withdraws) {
                require(reply, "250");
                return ended(Outcome.WITHDRAWN, reply);
            }
            return reply.startsWith("354") ? message() : refused(accepted.isEmpty() ? decided : reply, true);
        }

        /** The known ones come last. */
        private int recipient(int index) {
            return index < unknown ? TrialPeer.UNKNOWN + index : index - unknown;
        }

        private void say(StringBuilder group) throws IOException {
            connection.say(group.toString());
            group.setLength(0);
        }

        private void heard(int recipient) throws IOException {
            var reply = connection.reply(id);
            if (reply.startsWith("2")) {
                accepted.add(recipient);
            } else if (decided == null || reply.startsWith("4") && decided.startsWith("5")) {
                decided = reply; // a client tries again what is put off
            }
        }

        private Outcome message() throws IOException {
            if (accepted.isEmpty()) {
                throw new IOException(id + ": DATA got 354 though no recipient was accepted");
            }
            var text = text();
            ledger.sends(id, text);
            if (whim == Whim.LEAVE_IN_MESSAGE) {
                connection.say(text.substring(0, random.nextInt(text.length() - 2)));
                return leave();
            }
            connection.say(text + ".\r\n" + (quits ? "QUIT\r\n" : ""));
            if (whim == Whim.LEAVE_AT_END) {
                ledger.ended(id, Outcome.LEFT_AFTER, "", accepted);
                close();
                return Outcome.LEFT_AFTER;
            }
            var reply = connection.reply(id);
            var outcome = ended(outcome(reply), reply);
            return quits ? null : outcome;
        }

        private String text() {
            var text = new StringBuilder("Subject: " + id + "\r\n\r\n");
            for (int lines = random.nextInt(10) == 0 ? random.nextInt(400) : random.nextInt(20); lines >= 0; lines--) {
                text.append(random.nextInt(8) == 0 ? "..dots" : "line").append("x".repeat(random.nextInt(60))).append("\r\n");
            }
            return text.toString();
        }

        /** @param open whether the transaction is, so that it has to be reset before the next */
        private Outcome refused(String reply, boolean open) throws IOException {
            var outcome = ended(outcome(reply), reply);
            if (open || random.nextBoolean()) {
                connection.say("RSET\r\n");
                require(connection.reply(id), "250");
            }
            return outcome;
        }

        private Outcome withdraw() throws IOException {
            connection.say("RSET\r\n");
            var reply = connection.reply(id);
            require(reply, "250");
            return ended(Outcome.WITHDRAWN, reply);
        }

        private Outcome leave() throws IOException {
            ledger.ended(id, Outcome.LEFT_BEFORE, "", accepted);
            close();
            return Outcome.LEFT_BEFORE;
        }

        private void close() throws IOException {
            if (random.nextBoolean()) {
                connection.reset();
            }
        }

        private Outcome outcome(String reply) throws IOException {
            return switch (reply.charAt(0)) {
                case '2' -> Outcome.DELIVERED;
                case '4' -> Outcome.DEFERRED;
                case '5' -> Outcome.REFUSED;
                default -> throw new IOException(id + " got " + reply);
            };
        }

        private Outcome ended(Outcome outcome, String reply) {
            ledger.ended(id, outcome, reply, accepted);
            return outcome;
        }
    }
}
