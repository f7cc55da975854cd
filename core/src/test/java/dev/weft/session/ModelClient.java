package dev.weft.session;

import dev.weft.smtp.ReplyReader;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A client that sends a random but valid dialogue, as far ahead as it may. Each command bears a number, and each reply must
 * repeat the number of the command that it answers. The few replies of the proxy's own, which can't, must be ones that fit.
 */
final class ModelClient {

    /** Something sent that is answered once. */
    private record Asked(String verb, String tag, byte[] message) {}

    private final Random random;
    private final ReplyReader replies = new ReplyReader(10_000, 100_000);
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int number = 100_000;
    private int transactionsLeft;
    private boolean greeted;
    private boolean saidHello;
    private boolean waits;
    private boolean mayPipeline;
    private boolean quit;
    boolean over;
    int mails;
    /** Messages answered 250, by tag. */
    final List<ModelServer.Message> accepted = new ArrayList<>();

    ModelClient(Random random) {
        this.random = random;
        this.transactionsLeft = 1 + random.nextInt(6);
    }

    /** What it sends next; empty while it waits. */
    byte[] next() {
        if (!greeted || over || waits || quit || !asked.isEmpty() && !mayPipeline && random.nextInt(3) > 0) {
            return new byte[0];
        }
        out.reset();
        if (!saidHello) {
            command("EHLO", "EHLO c" + ++number);
            saidHello = true;
            waits = true;
        } else if (transactionsLeft-- > 0) {
            transaction();
        } else {
            command("QUIT", "QUIT " + ++number);
            quit = true;
        }
        return out.toByteArray();
    }

    private void command(String verb, String line) {
        out.writeBytes((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        asked.add(new Asked(verb, Integer.toString(number), null));
    }

    private void transaction() {
        sometimes();
        command("MAIL", "MAIL FROM:<" + ++number + "@example.com>");
        mails++;
        for (int i = random.nextInt(4); i >= 0; i--) {
            sometimes();
            command("RCPT", "RCPT TO:<" + ++number + "@example.net>");
        }
        switch (random.nextInt(5)) {
            case 0 -> command("RSET", "RSET " + ++number);
            case 1, 2 -> chunks();
            default -> {
                command("DATA", "DATA " + ++number);
                waits = true;
            }
        }
    }

    private void sometimes() {
        switch (random.nextInt(12)) {
            case 0 -> command("NOOP", "NOOP " + ++number);
            case 1 -> command("XFOO", "XFOO " + ++number);
            case 2 -> command("VRFY", "VRFY " + ++number);
            case 3 -> {
                command("MAIL", "MAIL FROM:<" + ++number + "@nested.example.com>");
                mails++;
            }
            default -> { }
        }
    }

    private void chunks() {
        var message = new ByteArrayOutputStream();
        int first = number + 1;
        for (int left = random.nextInt(3); left >= 0; left--) {
            var octets = (++number + "\r\n.\r\nQUIT\r\n".substring(random.nextInt(12))).getBytes(StandardCharsets.ISO_8859_1);
            message.writeBytes(octets);
            out.writeBytes(("BDAT " + octets.length + (left == 0 ? " LAST\r\n" : "\r\n")).getBytes(StandardCharsets.ISO_8859_1));
            out.writeBytes(octets);
            asked.add(new Asked(left == 0 ? "LAST" : "BDAT", Integer.toString(number), null));
        }
        // The reply to the last chunk bears the number that the message begins with, if the server takes it, else the chunk's
        // own.
        var last = asked.removeLast();
        asked.add(new Asked("LAST", first + "|" + last.tag, message.toByteArray()));
        command("RSET", "RSET " + ++number);
    }

    private void message() {
        int tag = ++number;
        var body = new StringBuilder().append(tag).append("\r\n");
        var parts = new String[] {"x", "..", "\r\n", "\r\n..", "\r\n..\r\n", "\0", "\n", "\r", "QUIT\r\n", "RSET\r\n", "\u00ff", "\r\n..x\r\n", " ."};
        for (int i = random.nextInt(40); i > 0; i--) {
            body.append(parts[random.nextInt(parts.length)]);
        }
        var smuggles = random.nextInt(10) == 0;
        if (smuggles) {
            body.append("x\n.\r\nMAIL FROM:<").append(++number).append("@forged>\r\n");
        }
        body.append("\r\n");
        // Random parts may form a look-alike by themselves; it is refused as well.
        var text = body.toString();
        var octets = text.getBytes(StandardCharsets.ISO_8859_1);
        out.writeBytes(octets);
        out.writeBytes(".\r\n".getBytes(StandardCharsets.ISO_8859_1));
        asked.add(new Asked(smuggles ? "FORGED" : "MESSAGE", Integer.toString(tag), octets));
    }

    /** Takes what the proxy wrote and gives back what follows at once. */
    byte[] take(byte[] octets) {
        out.reset();
        var in = ByteBuffer.wrap(octets);
        while (in.hasRemaining() && replies.read(in) == ReplyReader.Status.REPLY) {
            var reply = replies.reply();
            answer(reply.code(), reply.lines().get(reply.lines().size() - 1));
        }
        return out.toByteArray();
    }

    private void answer(int code, String text) {
        if (!greeted) {
            greeted = code == 220;
            over |= !greeted;
            return;
        }
        if (code == 421) {
            over = true;
            return;
        }
        var question = asked.poll();
        if (question == null) {
            throw new AssertionError("a reply that answers nothing: " + code + " " + text);
        }
        var local = text.matches("\\d\\.\\d\\.\\d .*");
        // The capabilities, which end the reply to EHLO, hold no number; the last line is PIPELINING or CHUNKING.
        if (!local && !question.verb.equals("EHLO") && !text.matches("(" + question.tag + ")( local)?")) {
            throw new AssertionError(question + " was answered " + code + " " + text);
        }
        if (local && code < 400 && !List.of("RSET", "NOOP", "QUIT").contains(question.verb)) {
            throw new AssertionError(question + " was answered by the proxy itself: " + code + " " + text);
        }
        switch (question.verb) {
            case "EHLO" -> {
                mayPipeline = text.equals("PIPELINING");
                waits = false;
            }
            case "DATA" -> {
                waits = false;
                if (code == 354) {
                    message();
                } else {
                    command("RSET", "RSET " + ++number);
                }
            }
            case "LAST", "MESSAGE", "FORGED" -> {
                if (code == 250) {
                    accepted.add(new ModelServer.Message(question.tag.split("\\|")[0], List.of(), question.message));
                }
                if (code == 250 && question.verb.equals("FORGED")) {
                    throw new AssertionError("a forged message was accepted");
                }
            }
            case "QUIT" -> over = true;
            default -> { }
        }
    }

    @Override
    public String toString() {
        return "client waiting for " + asked;
    }
}
