package dev.weft.session;

import dev.weft.relay.TransactionRecord.Outcome;
import dev.weft.smtp.ReplyReader;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A client of a proxy that is bound on mail. It says odd things at odd moments, as far ahead as it may, and knows which replies
 * it may get: each answers its own command, a 2xx to a recipient or a message is the server's own, and what a server does to its
 * leg costs a 4xx, never a 5xx or a 421.
 */
final class RestlessClient {

    /** Something sent that is answered once. */
    private record Asked(String verb, String tag, byte[] octets) {}

    private enum Open { YES, NO, UNKNOWN }

    private final Random random;
    private final boolean eager;
    /** Ten in so many times it says something odd. */
    private final int oddness;
    private final ReplyReader replies = new ReplyReader(10_000, 100_000);
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private int number = 100_000;
    private int transactionsLeft;
    private boolean greeted;
    private boolean waits;
    private boolean saidHello;
    private boolean quit;
    private boolean chunking;
    private boolean dsn;
    private Open open = Open.NO;
    private String mailTag = "";
    private int acceptedRecipients;
    private boolean chunkRefused;
    private final ByteArrayOutputStream chunked = new ByteArrayOutputStream();
    private String firstChunk;
    /** It had its 221, or a 421. */
    boolean over;
    boolean told421;
    /** Messages answered 250. */
    final List<ModelServer.Message> accepted = new ArrayList<>();
    /** Whole messages that it sent, by their number. */
    final Map<String, byte[]> sent = new HashMap<>();
    /** What became of transactions whose message was answered, by MAIL's number. */
    final Map<String, Outcome> outcomes = new HashMap<>();

    RestlessClient(Random random) {
        this.random = random;
        eager = random.nextInt(3) > 0;
        oddness = random.nextBoolean() ? 40 : 400;
        transactionsLeft = 1 + random.nextInt(6);
    }

    /** What it sends next; empty while it waits. */
    byte[] next() {
        out.reset();
        if (greeted && !over && !waits && !quit && (asked.isEmpty() || eager)) {
            if (!saidHello) {
                hello();
            } else if (transactionsLeft-- > 0) {
                transaction();
            } else {
                say("QUIT", "QUIT");
                quit = true;
            }
        }
        return out.toByteArray();
    }

    private void say(String verb, String line) {
        out.writeBytes((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        asked.add(new Asked(verb, Integer.toString(number), null));
    }

    private void hello() {
        saidHello = true;
        waits = true;
        say("EHLO", random.nextInt(8) > 0 ? "EHLO c" + ++number : "HELO c" + ++number);
    }

    private void transaction() {
        if (sometimes()) {
            return;
        }
        say("MAIL", "MAIL FROM:<" + ++number + "@example.com>");
        for (int i = random.nextInt(4); i >= 0; i--) {
            if (sometimes()) {
                return;
            }
            say("RCPT", "RCPT TO:<" + ++number + "@example.net>" + (dsn && random.nextInt(4) == 0 ? " NOTIFY=NEVER" : ""));
        }
        switch (random.nextInt(9)) {
            case 0 -> say("RSET", "RSET");
            case 1 -> hello();
            case 2 -> { } // the next MAIL is a nested one
            case 3, 4, 5 -> {
                if (chunking) {
                    chunks();
                } else {
                    data();
                }
            }
            default -> data();
        }
    }

    private void data() {
        say("DATA", "DATA " + ++number);
        waits = true;
    }

    /** Says something odd; true if nothing may be said behind it yet. */
    private boolean sometimes() {
        switch (random.nextInt(oddness)) {
            case 0 -> say("NOOP", "NOOP " + ++number);
            case 1 -> say("XFOO", "XFOO " + ++number);
            case 2 -> say("VRFY", "VRFY " + ++number);
            case 3 -> say("MAIL", "MAIL FROM:<" + ++number + "@nested.example.com>");
            case 4 -> say("RSET", "RSET");
            case 5 -> say("STARTTLS", "STARTTLS");
            case 6 -> say("BARE", "EHLO");
            case 7 -> {
                hello();
                return true;
            }
            case 8 -> {
                data();
                return true;
            }
            case 9 -> {
                say("QUIT", "QUIT");
                quit = true;
                return true;
            }
            default -> { }
        }
        return false;
    }

    private void chunks() {
        int left = random.nextInt(3);
        for (; left >= 0; left--) {
            var octets = (++number + "\r\n.\r\nQUIT\r\n".substring(random.nextInt(12))).getBytes(StandardCharsets.ISO_8859_1);
            out.writeBytes(("BDAT " + octets.length + (left == 0 ? " LAST\r\n" : "\r\n")).getBytes(StandardCharsets.ISO_8859_1));
            out.writeBytes(octets);
            asked.add(new Asked(left == 0 ? "LAST" : "BDAT", Integer.toString(number), octets));
        }
    }

    private void message() {
        int tag = ++number;
        var body = new StringBuilder().append(tag).append("\r\n");
        var parts = new String[] {"x", "..", "\r\n", "\r\n..", "\r\n..\r\n", "\0", "QUIT\r\n", "RSET\r\n", "\r\n..x\r\n", " ."};
        for (int i = random.nextInt(30); i > 0; i--) {
            body.append(parts[random.nextInt(parts.length)]);
        }
        var smuggles = random.nextInt(15) == 0;
        body.append(smuggles ? "x\n.\r\nMAIL FROM:<forged>\r\n\r\n" : "\r\n");
        var octets = body.toString().getBytes(StandardCharsets.ISO_8859_1);
        out.writeBytes(octets);
        out.writeBytes(".\r\n".getBytes(StandardCharsets.ISO_8859_1));
        asked.add(new Asked(smuggles ? "FORGED" : "MESSAGE", Integer.toString(tag), octets));
        if (!smuggles) {
            sent.put(Integer.toString(tag), octets);
        }
    }

    /** Takes what the proxy wrote and gives back what follows at once. */
    byte[] take(byte[] octets) {
        out.reset();
        var in = ByteBuffer.wrap(octets);
        while (in.hasRemaining() && replies.read(in) == ReplyReader.Status.REPLY) {
            var reply = replies.reply();
            answer(reply.code(), reply.lines().get(reply.lines().size() - 1), String.join("\n", reply.lines()));
        }
        return out.toByteArray();
    }

    private void answer(int code, String text, String all) {
        if (!greeted) {
            require(code == 220, "greeted with " + code);
            greeted = true;
            return;
        }
        require(!over, "a reply behind the last: " + code + " " + text);
        if (code == 421) {
            over = true;
            told421 = true;
            return;
        }
        var question = asked.poll();
        require(question != null, "a reply that answers nothing: " + code + " " + text);
        try {
            answered(question, code, text, all);
        } catch (AssertionError e) {
            throw new AssertionError(question + ", a transaction being open: " + open + " with " + acceptedRecipients
                    + " recipients, got " + code + " " + text + ": " + e.getMessage(), e);
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private void answered(Asked question, int code, String text, String all) {
        var own = text.equals(question.tag);
        var judged = text.equals(question.tag + " local");
        var deferred = code / 100 == 4 && text.matches("4\\.\\d\\.\\d .*");
        switch (question.verb) {
            case "EHLO" -> {
                require(code == 250, "EHLO refused");
                chunking = all.contains("CHUNKING");
                dsn = all.contains("DSN");
                waits = false;
                open = Open.NO;
            }
            case "MAIL" -> mail(question, code, text, judged || deferred);
            case "RCPT" -> {
                var ofMail = ofRefusedMail(code, text);
                require(own || judged || ofMail || deferred || open != Open.YES && code == 503, "not to this recipient");
                require(!own || open != Open.NO, "a recipient of no transaction");
                acceptedRecipients += code == 250 ? 1 : 0;
                require(code != 250 || own, "a recipient that the server did not accept");
            }
            case "DATA" -> data(question, code, own || judged || deferred || ofRefusedMail(code, text));
            case "BDAT", "LAST" -> chunk(question, code, text);
            case "MESSAGE", "FORGED" -> {
                var refused = text.equals("content") || text.equals("data") || question.verb.equals("FORGED");
                require(own || deferred || refused, "not to this message");
                message(question.tag, code, text, question.octets);
                require(code != 250 || own && question.verb.equals("MESSAGE"), "not accepted by the server");
            }
            case "RSET" -> {
                require(code == 250, "RSET refused");
                open = Open.NO;
            }
            case "NOOP" -> require(code == 250 || judged || deferred, "NOOP refused");
            case "VRFY" -> require(code == 252 || judged || deferred, "VRFY");
            case "XFOO" -> require(code == 500 || judged || deferred, "XFOO");
            case "BARE" -> require(code == 501, "EHLO without a name");
            case "STARTTLS" -> require(code == 502, "STARTTLS that was not offered");
            case "QUIT" -> {
                require(code == 221, "QUIT refused");
                over = true;
            }
            default -> throw new AssertionError(question.verb);
        }
    }

    private boolean ofRefusedMail(int code, String text) {
        return text.equals(mailTag) && code >= 400 && acceptedRecipients == 0;
    }

    private void mail(Asked question, int code, String text, boolean mayBe) {
        require(code == 250 ? open != Open.YES : mayBe || code == 503 && open != Open.NO, "MAIL");
        if (code == 250) {
            require(text.equals("2.1.0 Sender ok"), "not the proxy's answer to MAIL");
            open = Open.YES;
            mailTag = question.tag;
            acceptedRecipients = 0;
            chunkRefused = false;
            firstChunk = null;
            chunked.reset();
        }
    }

    private void data(Asked question, int code, boolean mayBe) {
        waits = false;
        if (code == 354) {
            require(open != Open.NO && acceptedRecipients > 0, "354 for nobody");
            message();
        } else {
            require(mayBe || code == 503 && (open != Open.YES || acceptedRecipients == 0 || chunkRefused), "DATA");
            open = Open.NO;
            if (random.nextBoolean()) {
                say("RSET", "RSET");
            }
        }
    }

    private void chunk(Asked question, int code, String text) {
        var own = text.equals(question.tag);
        chunked.writeBytes(question.octets);
        firstChunk = firstChunk == null ? question.tag : firstChunk;
        var last = question.verb.equals("LAST");
        var deferred = code / 100 == 4 && text.matches("4\\.\\d\\.\\d .*");
        var mayBe = own || ofRefusedMail(code, text) || last && text.equals(firstChunk) || deferred || text.equals("content");
        require(mayBe || code == 503 && (open != Open.YES || acceptedRecipients == 0 || chunkRefused), "chunk");
        require(code != 250 || own || text.equals(firstChunk), "a chunk that the server did not take");
        if (last) {
            sent.put(firstChunk, chunked.toByteArray());
            message(firstChunk, code, text, chunked.toByteArray());
            firstChunk = null;
            chunked.reset();
        } else if (code != 250) {
            chunkRefused = true;
            open = open == Open.YES ? Open.UNKNOWN : open;
        }
    }

    private void message(String tag, int code, String text, byte[] octets) {
        if (open != Open.NO && acceptedRecipients > 0 && !chunkRefused) {
            outcomes.put(mailTag, code == 250 ? Outcome.ACCEPTED : text.endsWith("uncertain") ? Outcome.UNCERTAIN
                    : code < 500 ? Outcome.DEFERRED : Outcome.REFUSED);
        }
        if (code == 250) {
            accepted.add(new ModelServer.Message(tag, List.of(), octets));
        }
        open = Open.NO;
    }

    @Override
    public String toString() {
        return "client waiting for " + asked.stream().map(each -> each.verb + " " + each.tag).toList();
    }
}
