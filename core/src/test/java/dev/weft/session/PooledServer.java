package dev.weft.session;

import dev.weft.smtp.Reply;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A receiving server behind a leg of a pool, greeted already. It acts on one command at a time; its reply repeats the number in
 * the command, or the one that a message begins with. It may have a fault that shows at some command. It fails the test if its
 * client does not wait where it must, and knows whether it may be left to another.
 */
final class PooledServer {

    private static final int HEALTHY = 4;

    private final Random random;
    private final boolean pipelines;
    private final boolean chunks;
    private final boolean dsn;
    /** Transactions that its leg was leased for before. */
    int transactions;
    private final ArrayDeque<byte[]> replies = new ArrayDeque<>();
    private byte[] in = {};
    private boolean mail;
    private boolean inData;
    private boolean mustBeSilent;
    private boolean chunkRefused;
    private final List<String> recipients = new ArrayList<>();
    private ByteArrayOutputStream message = new ByteArrayOutputStream();
    private int untilFault;
    /** It says nothing any more. */
    private boolean done;
    /** It closes once its replies are read. */
    private boolean closing;
    /** All messages that it got to their end, accepted or not. */
    final List<ModelServer.Message> complete = new ArrayList<>();
    private final List<ModelServer.Message> accepted = new ArrayList<>();

    PooledServer(Random random) {
        this.random = random;
        pipelines = random.nextInt(5) > 0;
        chunks = random.nextInt(6) > 0;
        dsn = random.nextInt(6) > 0;
        untilFault = random.nextInt(HEALTHY) == 0 ? random.nextInt(8) : Integer.MAX_VALUE;
    }

    boolean accepted(String tag) {
        return accepted.stream().anyMatch(message -> message.tag().equals(tag));
    }

    Reply hello() {
        var lines = new ArrayList<>(List.of("mx.example.net"));
        if (pipelines) {
            lines.add("PIPELINING");
        }
        if (chunks) {
            lines.add("CHUNKING");
        }
        if (dsn) {
            lines.add("DSN");
        }
        return Reply.plain(250, lines.toArray(String[]::new));
    }

    /** Nobody looks after it in the pool. */
    void age() {
        if (random.nextInt(4) == 0) {
            fail();
        }
    }

    void take(byte[] octets) {
        if (octets.length > 0 && mustBeSilent && !done) {
            throw new AssertionError("sent before its time: " + new String(octets, StandardCharsets.ISO_8859_1));
        }
        in = append(in, octets);
    }

    byte[] nextReply() {
        var reply = replies.poll();
        if (reply != null && replies.isEmpty()) {
            mustBeSilent = false;
        }
        return reply;
    }

    boolean closed() {
        return closing && replies.isEmpty();
    }

    /** Why it may not be left to another yet; empty if it may. */
    String busy() {
        return mail ? "a transaction is open" : inData ? "a message is open" : in.length > 0 ? "a command is unanswered"
                : !replies.isEmpty() && !done ? "a reply is on its way" : "";
    }

    /** Whether it may be leased again. */
    boolean reusable() {
        return !done && replies.isEmpty();
    }

    /** Says something unasked, when nothing is due; null if it does not. */
    byte[] stray() {
        if (done || !replies.isEmpty() || in.length > 0 || random.nextInt(60) > 0) {
            return null;
        }
        done = true;
        return "250 stray\r\n".getBytes(StandardCharsets.ISO_8859_1);
    }

    private void say(String reply) {
        replies.add((reply + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    private boolean agrees() {
        return random.nextInt(10) != 0;
    }

    private void fail() {
        done = true;
        switch (random.nextInt(5)) {
            case 0, 1 -> closing = true;
            case 2 -> {
                say("421-4.3.0 not now\r\n421 4.3.0 bye");
                closing = random.nextBoolean();
            }
            case 3 -> say("junk");
            default -> { } // silence
        }
    }

    /** Acts on one command or message, if one is complete. */
    boolean act() {
        if (done || mustBeSilent || in.length == 0) {
            return false;
        }
        if (untilFault-- == 0) {
            fail();
            return true;
        }
        if (inData) {
            return data();
        }
        int end = indexOf("\r\n");
        var line = end < 0 ? "" : new String(in, 0, end, StandardCharsets.ISO_8859_1);
        int chunk = line.startsWith("BDAT") ? Integer.parseInt(line.split(" ")[1]) : 0;
        if (end < 0 || in.length < end + 2 + chunk) {
            return false;
        }
        var octets = Arrays.copyOfRange(in, end + 2, end + 2 + chunk);
        in = Arrays.copyOfRange(in, end + 2 + chunk, in.length);
        mustBeSilent = !pipelines;
        command(line, octets);
        if (!pipelines && in.length > 0) {
            throw new AssertionError("pipelined to a serial server behind " + line);
        }
        return true;
    }

    private void command(String line, byte[] octets) {
        var tag = line.replaceAll("\\D", "");
        switch (line.split("[ :]")[0]) {
            case "MAIL" -> {
                require(!mail, "a nested " + line);
                mail = agrees();
                say((mail ? "250 " : random.nextBoolean() ? "451 " : "550 ") + tag);
            }
            case "RCPT" -> {
                require(dsn || !line.contains("NOTIFY"), "not offered: " + line);
                var ok = mail && agrees();
                if (ok) {
                    recipients.add(tag);
                }
                say((ok ? "250-more\r\n250 " : mail ? "550 " : "503 ") + tag);
            }
            case "DATA" -> {
                require(in.length == 0, "sent behind DATA without waiting");
                mustBeSilent = true;
                inData = !recipients.isEmpty() && agrees();
                say((inData ? "354 " : "554 ") + (tag.isEmpty() ? "data" : tag));
            }
            case "BDAT" -> chunk(line, octets);
            case "RSET" -> {
                forget();
                say("250 reset");
            }
            case "QUIT" -> {
                done = true;
                closing = true;
            }
            default -> throw new AssertionError("a leased leg was told " + line);
        }
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private boolean data() {
        var start = new String(in, 0, Math.min(3, in.length), StandardCharsets.ISO_8859_1).equals(".\r\n");
        int end = start ? 0 : indexOf("\r\n.\r\n");
        if (end < 0) {
            return false;
        }
        int length = start ? 0 : end + 2;
        var octets = Arrays.copyOf(in, length);
        in = Arrays.copyOfRange(in, length + 3, in.length);
        inData = false;
        mustBeSilent = !pipelines;
        finish(octets);
        return true;
    }

    private void chunk(String line, byte[] octets) {
        require(chunks, "not offered: " + line);
        if (recipients.isEmpty() || chunkRefused) {
            say("503 " + tag(octets));
            return;
        }
        message.writeBytes(octets);
        if (line.endsWith("LAST")) {
            finish(message.toByteArray());
        } else {
            chunkRefused = !agrees();
            say((chunkRefused ? "452 " : "250 ") + tag(octets));
        }
    }

    private static String tag(byte[] octets) {
        return new String(octets, 0, Math.min(6, octets.length), StandardCharsets.ISO_8859_1).replaceAll("\\D", "");
    }

    private void finish(byte[] octets) {
        var message = new ModelServer.Message(tag(octets), List.copyOf(recipients), octets);
        complete.add(message);
        if (agrees()) {
            accepted.add(message);
            say("250 " + message.tag());
        } else {
            say("552 " + message.tag());
        }
        forget();
    }

    private void forget() {
        mail = false;
        recipients.clear();
        chunkRefused = false;
        message = new ByteArrayOutputStream();
    }

    private int indexOf(String what) {
        return new String(in, StandardCharsets.ISO_8859_1).indexOf(what);
    }

    static byte[] append(byte[] one, byte[] other) {
        var all = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }
}
