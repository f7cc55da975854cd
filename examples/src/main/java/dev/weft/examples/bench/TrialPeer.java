package dev.weft.examples.bench;

import dev.weft.examples.bench.TrialFault.Moment;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** One connection at a {@link TrialServer}: its SMTP and its faults. */
final class TrialPeer {

    /** Recipients from this number on are never known here. */
    static final int UNKNOWN = 100;

    private static final Pattern ID = Pattern.compile("<(m\\d+)(?:\\.(\\d+))?@");
    private static final int SLOW_MS = 60;
    private static final int IDLE_MS = 15;

    private final TrialServer server;
    private final TrialFaults faults;
    private final TrialWire wire;
    private final TrialRules rules;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final ByteArrayOutputStream later = new ByteArrayOutputStream();
    /** An answer is on its way: what comes meanwhile is read behind it. */
    private boolean busy;
    private boolean silent;
    // The transaction
    private String message;
    private final Set<Integer> recipients = new TreeSet<>();
    private ByteArrayOutputStream body;
    private int cutAt;
    private boolean refusedEarly;

    TrialPeer(TrialServer server, SocketChannel channel, int number) {
        this.server = server;
        this.faults = server.faults();
        this.wire = new TrialWire(server, channel);
        this.rules = new TrialRules(server.ledger(), number, faults.offers(0.8), faults.offers(0.97));
    }

    void greet(boolean tooMany) {
        if (tooMany) {
            end("421 4.7.0 mx.example Error: too many connections");
            return;
        }
        var fault = draw(Moment.GREETING);
        if (fault == TrialFault.CROWDED) {
            end("421 4.7.0 mx.example Error: too many concurrent connections");
        } else {
            happens(fault, Moment.GREETING, "220 mx.example ESMTP", () -> { });
        }
    }

    void readable() {
        var buffer = ByteBuffer.allocate(16 * 1024);
        int count = wire.read(buffer);
        while (count > 0) {
            later.write(buffer.array(), 0, buffer.position());
            buffer.clear();
            count = wire.read(buffer);
        }
        take();
        if (count < 0) {
            rules.unread(later.toString(StandardCharsets.ISO_8859_1));
            wire.close();
        }
    }

    private void take() {
        var bytes = later.toByteArray();
        later.reset();
        int at = 0;
        while (at < bytes.length && !busy && !silent && !wire.over()) {
            byte octet = bytes[at++];
            line.write(octet);
            if (body != null && body.size() + line.size() == cutAt && inMessage()) {
                break;
            }
            if (octet == '\n') {
                var text = line.toString(StandardCharsets.ISO_8859_1);
                line.reset();
                whole(text, at < bytes.length);
            }
        }
        later.write(bytes, at, bytes.length - at);
    }

    /** A fault in mid-message; true if the connection is over. */
    private boolean inMessage() {
        var fault = draw(Moment.MESSAGE);
        if (fault == TrialFault.PERMANENT) {
            refusedEarly = true; // said at once, and by some again at the end
            rules.refuses();
            say("552 5.3.4 " + message + " is too large");
            return false;
        }
        return fault != TrialFault.NONE && happens(fault, Moment.MESSAGE, null, () -> { });
    }

    private void whole(String text, boolean more) {
        if (body != null) {
            if (!text.equals(".\r\n")) {
                body.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
                return;
            }
            if (more && !refusedEarly) {
                rules.wrong("something followed the end of a message before its answer");
            }
            endOfData();
            return;
        }
        rules.command(text, more);
        var verb = text.strip().split(" ")[0].toUpperCase(Locale.ROOT);
        switch (verb) {
            case "EHLO", "HELO" -> answer(Moment.EHLO, rules.hello(text), () -> { });
            case "MAIL" -> mail(text);
            case "RCPT" -> recipient(text);
            case "DATA" -> data();
            case "RSET" -> answer(Moment.RSET, "250 2.0.0 reset", () -> {
                message = null;
                idle();
            });
            case "QUIT" -> quit();
            default -> rules.wrong("an unexpected command: " + text.strip());
        }
    }

    private void mail(String text) {
        rules.mail(text, message != null);
        var id = idOf(text);
        recipients.clear();
        answer(Moment.MAIL, "250 2.1.0 " + id + " ok", () -> message = id);
    }

    private void recipient(String text) {
        var matcher = ID.matcher(text);
        if (!matcher.find() || matcher.group(2) == null) {
            rules.wrong("a recipient of nobody: " + text.strip());
        } else if (message == null) {
            say("503 5.5.1 " + matcher.group(1) + " MAIL first");
        } else {
            rules.recipient(matcher.group(1), message);
            int which = Integer.parseInt(matcher.group(2));
            if (which >= UNKNOWN) {
                refuse(Moment.RCPT, "550 5.1.1 " + message + " no such user");
                return;
            }
            answer(Moment.RCPT, "250 2.1.5 " + message + " recipient ok", () -> recipients.add(which));
        }
    }

    private void data() {
        if (message == null || recipients.isEmpty()) {
            say("503 5.5.1 no valid recipients");
            return;
        }
        answer(Moment.DATA, "354 go on", () -> {
            body = new ByteArrayOutputStream();
            cutAt = 1 + faults.millis(2000);
            refusedEarly = false;
        });
    }

    private void endOfData() {
        var text = body.toString(StandardCharsets.ISO_8859_1);
        body = null;
        var id = message;
        if (refusedEarly) {
            if (faults.offers(0.5)) {
                say("552 5.3.4 " + id + " is too large");
            }
            message = null;
            return;
        }
        var reply = "250 2.0.0 " + id + " taken";
        var fault = draw(Moment.END);
        switch (fault) {
            case NONE, SLOW, TAKEN_CUT, TAKEN_RESET, TAKEN_SILENT -> {
                message = null;
                var taken = server.ledger().taken(id, text, Set.copyOf(recipients));
                switch (fault) {
                    case TAKEN_CUT -> wire.close();
                    case TAKEN_RESET -> wire.reset();
                    case TAKEN_SILENT -> silent = true;
                    default -> happens(fault, Moment.END, reply, () -> {
                        taken.answered();
                        idle();
                    });
                }
            }
            default -> {
                happens(fault, Moment.END, reply, () -> { });
                message = null;
            }
        }
    }

    private void quit() {
        var fault = draw(Moment.QUIT);
        switch (fault) {
            case NONE -> end("221 2.0.0 bye");
            case SLOW -> {
                busy = true;
                server.later(faults.millis(SLOW_MS), () -> end("221 2.0.0 bye"));
            }
            default -> happens(fault, Moment.QUIT, null, () -> { });
        }
    }

    /** Between two transactions. */
    private void idle() {
        var fault = draw(Moment.IDLE);
        if (fault == TrialFault.NONE) {
            return;
        }
        Runnable work = switch (fault) {
            case THEN_CUT -> wire::close;
            case THEN_RESET -> wire::reset;
            default -> () -> {
                say("421 4.4.2 mx.example idle for too long"); // the next MAIL may be on its way already
                wire.end();
            };
        };
        int after = faults.millis(IDLE_MS);
        if (after == 0) {
            work.run();
        } else {
            int before = rules.transactions();
            server.later(after, () -> {
                if (rules.transactions() == before && message == null && body == null && !busy) {
                    work.run();
                }
            });
        }
    }

    private TrialFault draw(Moment moment) {
        return faults.draw(moment, rules.transactions() > (moment == Moment.MAIL ? 1 : 0)); // MAIL is counted already
    }

    private void answer(Moment moment, String reply, Runnable done) {
        happens(draw(moment), moment, reply, done);
    }

    /**
     * What happens in place of an answer, or just that.
     *
     * @param done called if the answer was the good one
     * @return whether the connection takes no more for now
     */
    private boolean happens(TrialFault fault, Moment moment, String reply, Runnable done) {
        switch (fault) {
            case SLOW -> {
                busy = true;
                server.later(1 + faults.millis(SLOW_MS), () -> {
                    busy = false;
                    if (!wire.closed()) {
                        say(reply);
                        done.run();
                        take();
                    }
                });
            }
            case SILENT -> silent = true;
            case CUT -> wire.close();
            case RESET -> wire.reset();
            case SAYS_421 -> end("421 4.3.2 mx.example is going down");
            case TEMPORARY -> refuse(moment, "451 4.3.0 " + mark() + "not now");
            case PERMANENT -> refuse(moment, "554 5.7.1 " + mark() + "not here");
            case UNKNOWN -> say("502 5.5.1 unknown");
            default -> {
                say(reply);
                done.run();
                return false;
            }
        }
        return true;
    }

    private String mark() {
        return message == null ? "" : message + " ";
    }

    private void refuse(Moment moment, String reply) {
        if (moment == Moment.GREETING) {
            end(reply);
            return;
        }
        if (moment != Moment.EHLO && moment != Moment.RSET) {
            rules.refuses();
        }
        say(reply);
    }

    /** The message that a command speaks of. */
    static String idOf(String text) {
        var matcher = ID.matcher(text);
        return matcher.find() ? matcher.group(1) : "nobody";
    }

    private void say(String reply) {
        if (!wire.say(reply)) {
            rules.wrong("its replies are not read");
        }
    }

    /** Says the last reply. */
    private void end(String reply) {
        rules.endsIt();
        say(reply);
        wire.end();
    }

    void reset() {
        wire.reset();
    }
}
