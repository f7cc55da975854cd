package dev.weft.examples.lab;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A message that is complete when it is submitted, so that no program on its way has a reason to change it, and that is
 * full of what a careless one would change: dots at the start of lines, eight-bit text, blanks at their ends, lines as long
 * as SMTP allows (RFC 5321 section 4.5.3.1.6).
 */
record Letter(String id, byte[] bytes) {
    /** The first header; what is in front of it in a mailbox was added by the hosts on the way. */
    private static final String MARK = "X-Weft-Letter: ";
    private static final List<String> ADDED_ON_THE_WAY = List.of("Return-Path:", "X-Original-To:", "Delivered-To:", "Received:");

    /** The same id and size give the same bytes. The last line is a lone dot. */
    static Letter of(String id, int size) {
        var random = new Random(id.hashCode());
        var out = new ByteArrayOutputStream(size + 1024);
        out.writeBytes((MARK + id + """

                From: Ada <ada@s1.test>
                To: undisclosed-recipients:;
                Date: Thu, 1 Jan 2026 00:00:00 +0000
                Message-ID: <""" + id + """
                @lab.test>
                Subject: a letter from the lab,
                \tfolded
                MIME-Version: 1.0
                Content-Type: text/plain; charset=ISO-8859-1
                Content-Transfer-Encoding: 8bit

                .
                ..
                .leading dot
                From the start of a line
                blanks at the end \t\s

                """).getBytes(StandardCharsets.ISO_8859_1));
        int end = size - 2;
        while (out.size() < end) {
            int room = end - out.size();
            out.writeBytes(line(random, Math.min(room, 1 + random.nextInt(random.nextInt(8) == 0 ? 999 : 90))));
        }
        out.writeBytes(".\n".getBytes(StandardCharsets.US_ASCII));
        return new Letter(id, out.toByteArray());
    }

    /** Random octets, less those with a meaning to a program of the test: line ends and NUL. */
    private static byte[] line(Random random, int length) {
        var line = new byte[length];
        random.nextBytes(line);
        for (int i = 0; i < length - 1; i++) {
            switch (line[i]) {
                case 0, '\r', '\n' -> line[i] = '.';
                default -> { }
            }
        }
        line[length - 1] = '\n';
        return line;
    }

    /** Writes the letter as a program of the host submits it, its lines ended by LF. */
    Path writeTo(Path directory) {
        return write(directory.resolve(id + ".eml"), bytes);
    }

    /** Writes the octets that follow DATA, less the last CRLF: lines ended by CRLF, dots doubled, the lone dot. */
    Path writeWireFormTo(Path directory) {
        var text = "\n" + new String(bytes, StandardCharsets.ISO_8859_1);
        var wire = text.replace("\n.", "\n..").substring(1).replace("\n", "\r\n") + ".";
        return write(directory.resolve(id + ".wire"), wire.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static Path write(Path file, byte[] content) {
        try {
            return Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Says how a delivered file differs from this letter, or gives back the headers that were added in front of it. */
    String headersAddedTo(Path delivered) {
        byte[] file;
        try {
            file = Files.readAllBytes(delivered);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int start = file.length - bytes.length;
        int mark = new String(file, StandardCharsets.ISO_8859_1).indexOf(MARK + id + "\n");
        if (mark < 0) {
            throw new AssertionError(delivered + " is not letter " + id);
        }
        if (mark != start || !Arrays.equals(file, mark, file.length, bytes, 0, bytes.length)) {
            int at = Arrays.mismatch(file, mark, file.length, bytes, 0, bytes.length);
            throw new AssertionError("letter " + id + " of " + bytes.length + " octets arrived with " + (file.length - mark)
                    + ", different from octet " + at);
        }
        var added = new String(file, 0, mark, StandardCharsets.ISO_8859_1);
        for (var line : added.split("\n")) {
            if (!line.startsWith(" ") && !line.startsWith("\t") && ADDED_ON_THE_WAY.stream().noneMatch(line::startsWith)) {
                throw new AssertionError("letter " + id + " arrived with a foreign header: " + line);
            }
        }
        return added;
    }

    @Override
    public String toString() {
        return id + " (" + bytes.length + " octets)";
    }
}
