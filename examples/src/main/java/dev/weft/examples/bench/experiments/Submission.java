package dev.weft.examples.bench.experiments;

import dev.weft.examples.lab.Postfix;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Hands messages to a sending Postfix as a program on its host does, with {@code sendmail -bs}: SMTP by pipes. One thread. */
final class Submission implements AutoCloseable {

    private static final int BODY_OCTETS = 4096;
    private static final String LINE = "A line of text that is neither short nor long, and says nothing at all.\r\n";

    private final String sender;
    private final Process process;
    private final BufferedReader in;
    private final Writer out;

    Submission(Postfix postfix) throws IOException {
        sender = "ada@" + postfix.host() + ".test";
        process = new ProcessBuilder(postfix.sendmail("-bs")).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        in = process.inputReader(StandardCharsets.US_ASCII);
        out = process.outputWriter(StandardCharsets.US_ASCII);
        expect("220");
        say("EHLO " + postfix.host() + ".test", "250");
    }

    /**
     * Submits a message of 4 KB for one recipient.
     *
     * @param held whether it shall wait for {@link Postfix#release}
     */
    void send(String recipient, boolean held) throws IOException {
        say("MAIL FROM:<" + sender + ">", "250");
        say("RCPT TO:<" + recipient + ">", "250");
        say("DATA", "354");
        out.write("From: <" + sender + ">\r\nTo: <" + recipient + ">\r\nSubject: " + (held ? "held" : "hello") + "\r\n\r\n");
        out.write(LINE.repeat(BODY_OCTETS / LINE.length()));
        say(".", "250");
    }

    /** Submits a message for each. */
    static void send(Postfix postfix, List<String> recipients, boolean held) throws IOException {
        try (var submission = new Submission(postfix)) {
            for (var recipient : recipients) {
                submission.send(recipient, held);
            }
        }
    }

    private void say(String line, String code) throws IOException {
        out.write(line + "\r\n");
        out.flush();
        expect(code);
    }

    private void expect(String code) throws IOException {
        String line;
        do {
            line = in.readLine();
            if (line == null || !line.startsWith(code)) {
                throw new IOException("sendmail -bs for " + sender + " says " + line + ", not " + code);
            }
        } while (line.startsWith(code + "-"));
    }

    @Override
    public void close() throws IOException {
        try (in; out) {
            say("QUIT", "221");
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroy();
        }
    }
}
