package dev.weft.policy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The format of a state file: lines of fields, and the way in which they reach the disk. */
final class StateLines {

    private static final String HEAD = "weft-state 1";
    /** An address has at most 254 octets, and a record few of such fields. */
    static final int LONGEST_LINE = 16 << 10;
    private static final Pattern BLANK = Pattern.compile(" ");
    private static final String HEX = "0123456789ABCDEF";

    private StateLines() {}

    /** Gets the fields of a line. */
    interface Taker {
        void take(int number, List<String> fields);
    }

    /** @return whether the file was read to its last line */
    static boolean read(Path file, long mostBytes, Taker taker) throws IOException {
        try (var in = Files.newInputStream(file)) {
            var lines = new Lines(in, mostBytes);
            var head = lines.next();
            if (!HEAD.equals(head)) {
                throw new IOException("it does not begin with \"" + HEAD + "\", so it is no state file, or one of another version");
            }
            int records = 0;
            for (var line = lines.next(); line != null; line = lines.next()) {
                if (line.startsWith("end ")) {
                    return line.equals("end " + records);
                }
                records++;
                taker.take(records + 1, fields(line));
            }
            return false;
        }
    }

    /** @return how many of the records fitted */
    static int write(Path file, long mostBytes, List<List<String>> records) throws IOException {
        var beside = file.resolveSibling("." + file.getFileName() + ".new");
        Files.deleteIfExists(beside); // left by a crash
        try {
            int written;
            // An own file or none: what someone else put under this name is not followed.
            var anew = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
            try (var channel = FileChannel.open(beside, anew, ownerOnly(beside))) {
                written = write(Channels.newOutputStream(channel), mostBytes, records);
                channel.force(true);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            return written;
        } catch (IOException | RuntimeException failure) {
            try {
                Files.deleteIfExists(beside);
            } catch (IOException second) {
                failure.addSuppressed(second);
            }
            throw failure;
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
                : new FileAttribute<?>[0];
    }

    private static int write(OutputStream to, long mostBytes, List<List<String>> records) throws IOException {
        var out = new ByteArrayOutputStream(1 << 16);
        out.writeBytes(line(HEAD));
        long left = mostBytes - out.size() - 32; // the last line
        int written = 0;
        for (var record : records) {
            var line = line(String.join(" ", record.stream().map(StateLines::escape).toList()));
            if (line.length > LONGEST_LINE || line.length > left) {
                continue;
            }
            left -= line.length;
            out.writeBytes(line);
            written++;
            if (out.size() >= 1 << 16) {
                out.writeTo(to);
                out.reset();
            }
        }
        out.writeBytes(line("end " + written));
        out.writeTo(to);
        return written;
    }

    private static byte[] line(String text) {
        return (text + "\n").getBytes(StandardCharsets.US_ASCII);
    }

    /** An empty field is a lone {@code %}. */
    static String escape(String field) {
        if (field.isEmpty()) {
            return "%";
        }
        var escaped = new StringBuilder(field.length());
        for (byte octet : field.getBytes(StandardCharsets.UTF_8)) {
            if (octet > ' ' && octet < 0x7f && octet != '%') {
                escaped.append((char) octet);
            } else {
                escaped.append('%').append(HEX.charAt(octet >> 4 & 15)).append(HEX.charAt(octet & 15));
            }
        }
        return escaped.toString();
    }

    /** @return the fields; none if the line has an escape that is none */
    private static List<String> fields(String line) {
        var fields = new ArrayList<String>();
        for (var field : BLANK.split(line, -1)) {
            var text = field.indexOf('%') < 0 && isAscii(field) ? field : unescape(field);
            if (text == null) {
                return List.of();
            }
            fields.add(text);
        }
        return fields;
    }

    private static boolean isAscii(String field) {
        return field.chars().allMatch(c -> c < 0x80);
    }

    /** @return null if it has an escape that is none */
    private static String unescape(String field) {
        var octets = new ByteArrayOutputStream(field.length());
        for (int i = 0; i < field.length() && !field.equals("%"); i++) {
            char c = field.charAt(i);
            if (c != '%') {
                octets.write(c);
                continue;
            }
            int high = i + 2 < field.length() ? HEX.indexOf(field.charAt(i + 1)) : -1;
            int low = high < 0 ? -1 : HEX.indexOf(field.charAt(i + 2));
            if (low < 0) {
                return null;
            }
            octets.write(high << 4 | low);
            i += 2;
        }
        return octets.toString(StandardCharsets.UTF_8);
    }

    /** Lines that ended in LF, within the bound; one that is too long comes as an empty one. */
    private static final class Lines {
        private final InputStream in;
        private final byte[] buffer = new byte[1 << 16];
        private int at;
        private int end;
        private long left;

        Lines(InputStream in, long mostBytes) {
            this.in = in;
            left = mostBytes;
        }

        /** @return null at the end, or at the bound */
        String next() throws IOException {
            var line = new StringBuilder(128);
            boolean tooLong = false;
            for (int octet = read(); octet >= 0; octet = read()) {
                if (octet == '\n') {
                    return tooLong ? "" : line.toString();
                }
                tooLong |= line.length() >= LONGEST_LINE;
                if (!tooLong) {
                    line.append((char) octet);
                }
            }
            return null;
        }

        private int read() throws IOException {
            if (at == end) {
                at = 0;
                end = Math.max(0, in.read(buffer, 0, (int) Math.min(buffer.length, left)));
                left -= end;
            }
            return at == end ? -1 : buffer[at++] & 0xff;
        }
    }
}
