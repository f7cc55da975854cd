package dev.weft.session;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The most naive receiving server: it acts on one command at a time, and its reply repeats the command's tag, the number in the
 * command or, for a message, the number that it begins with. It fails the test if a client does not wait where it must.
 */
final class ModelServer {

    /** A message that it accepted. */
    record Message(String tag, List<String> recipients, byte[] octets) {}

    private final Random random;
    private final boolean pipelines;
    private final ArrayDeque<byte[]> replies = new ArrayDeque<>();
    private byte[] in = {};
    private boolean mail;
    private final List<String> recipients = new ArrayList<>();
    private ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    private boolean inData;
    private boolean mustBeSilent = true;
    private boolean closed;
    final List<Message> accepted = new ArrayList<>();

    ModelServer(Random random, boolean pipelines) {
        this.random = random;
        this.pipelines = pipelines;
        say("220 ready");
    }

    /** Takes octets; they must not come before the reply that they had to wait for was read. */
    void take(byte[] octets) {
        if (octets.length > 0 && mustBeSilent) {
            throw new AssertionError("sent before its time: " + new String(octets, StandardCharsets.ISO_8859_1));
        }
        var all = Arrays.copyOf(in, in.length + octets.length);
        System.arraycopy(octets, 0, all, in.length, octets.length);
        in = all;
    }

    /** The next reply, or null. From now on the client may send what had to wait for it. */
    byte[] nextReply() {
        var reply = replies.poll();
        if (reply != null && replies.isEmpty()) {
            mustBeSilent = false;
        }
        return reply;
    }

    boolean closed() {
        return closed && replies.isEmpty();
    }

    boolean inMessage() {
        return inData && in.length > 0;
    }

    private void say(String reply) {
        replies.add((reply + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    private boolean agrees() {
        return random.nextInt(8) != 0;
    }

    /** Acts on one command or message, if one is complete. */
    boolean act() {
        if (closed || mustBeSilent) {
            return false;
        }
        if (inData) {
            return message();
        }
        int end = indexOf("\r\n", 0);
        if (end < 0) {
            return false;
        }
        var line = new String(in, 0, end, StandardCharsets.ISO_8859_1);
        int chunk = line.startsWith("BDAT") ? Integer.parseInt(line.split(" ")[1]) : 0;
        if (in.length < end + 2 + chunk) {
            return false;
        }
        var octets = Arrays.copyOfRange(in, end + 2, end + 2 + chunk);
        in = Arrays.copyOfRange(in, end + 2 + chunk, in.length);
        mustBeSilent = !pipelines;
        command(line, octets);
        if (!pipelines && in.length > 0) {
            throw new AssertionError("pipelined to a serial server behind " + line + ": " + new String(in, StandardCharsets.ISO_8859_1));
        }
        return true;
    }

    private void command(String line, byte[] octets) {
        var tag = line.replaceAll("\\D", "");
        switch (line.split("[ :]")[0]) {
            case "EHLO" -> {
                synchronised(line);
                forget();
                say(pipelines ? "250-" + tag + "\r\n250-CHUNKING\r\n250 PIPELINING" : "250-" + tag + "\r\n250 CHUNKING");
            }
            case "MAIL" -> {
                var ok = !mail && agrees();
                mail |= ok;
                say((ok ? "250 " : mail ? "503 " : "451 ") + tag);
            }
            case "RCPT" -> {
                var ok = mail && agrees();
                if (ok) {
                    recipients.add(tag);
                }
                say((ok ? "250-more\r\n250 " : mail ? "550 " : "503 ") + tag);
            }
            case "DATA" -> {
                synchronised(line);
                inData = !recipients.isEmpty() && agrees();
                say((inData ? "354 " : "554 ") + tag);
            }
            case "BDAT" -> chunk(line, octets);
            case "RSET" -> {
                forget();
                say("250 " + tag);
            }
            case "QUIT" -> {
                synchronised(line);
                say("221 " + tag);
                closed = true;
            }
            case "XFOO" -> {
                synchronised(line);
                say("500 " + tag);
            }
            default -> say("250 " + tag);
        }
    }

    private void synchronised(String line) {
        if (in.length > 0) {
            throw new AssertionError("sent behind " + line + " without waiting: " + new String(in, StandardCharsets.ISO_8859_1));
        }
        mustBeSilent = true;
    }

    private boolean message() {
        var start = in.length >= 3 && in[0] == '.' && in[1] == '\r' && in[2] == '\n';
        int end = start ? 0 : indexOf("\r\n.\r\n", 0);
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
        var tag = new String(octets, 0, Math.min(6, octets.length), StandardCharsets.ISO_8859_1).replaceAll("\\D", "");
        if (recipients.isEmpty()) {
            say("503 " + tag);
            return;
        }
        chunks.writeBytes(octets);
        if (line.endsWith("LAST")) {
            var all = chunks.toByteArray();
            finish(all);
        } else {
            say("250 " + tag);
        }
    }

    private void finish(byte[] octets) {
        var tag = new String(octets, 0, Math.min(6, octets.length), StandardCharsets.ISO_8859_1).replaceAll("\\D", "");
        if (agrees()) {
            accepted.add(new Message(tag, List.copyOf(recipients), octets));
            say("250 " + tag);
        } else {
            say("552 " + tag);
        }
        forget();
    }

    private void forget() {
        mail = false;
        recipients.clear();
        chunks = new ByteArrayOutputStream();
    }

    private int indexOf(String what, int from) {
        outer:
        for (int i = from; i + what.length() <= in.length; i++) {
            for (int j = 0; j < what.length(); j++) {
                if (in[i + j] != what.charAt(j)) {
                    continue outer;
                }
            }
            return i;
        }
        return -1;
    }
}
