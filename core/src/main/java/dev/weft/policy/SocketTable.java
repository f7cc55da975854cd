package dev.weft.policy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Linux' list of TCP sockets, {@code /proc/net/tcp} and {@code tcp6}: a line a socket, whose fields are the number, local and
 * remote address, state, queues, timer, retransmits, user id, timeout and inode. An address is in hexadecimal, in words of 32
 * bits as they lie in memory; a port is a plain number.
 */
final class SocketTable {

    /** A line without its many zeroes is about 150 octets. */
    private static final int LONGEST_LINE = 1024;
    private static final int BUFFER = 1 << 16;

    private final Path directory;
    private final ByteOrder order;

    /**
     * @param directory where {@code tcp} and {@code tcp6} are
     * @param order of the machine that wrote them
     */
    SocketTable(Path directory, ByteOrder order) {
        this.directory = directory;
        this.order = order;
    }

    /**
     * A socket that a process owns.
     *
     * @param local its own address
     * @param remote the other side's
     * @param uid the user id
     */
    record Entry(InetSocketAddress local, InetSocketAddress remote, long uid) {}

    /**
     * Reads both lists, a line at a time.
     *
     * @param ports the local ports of those that matter; the other lines are only skimmed, since a busy host has very many
     * @return false if there is none
     */
    boolean read(IntPredicate ports, Consumer<Entry> taker) throws IOException {
        boolean any = false;
        for (var name : List.of("tcp", "tcp6")) {
            try (var in = Files.newInputStream(directory.resolve(name))) {
                read(in, ports, taker);
                any = true;
            } catch (NoSuchFileException absent) {
                // without IPv6, or without /proc
            }
        }
        return any;
    }

    private void read(InputStream in, IntPredicate ports, Consumer<Entry> taker) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.ISO_8859_1), BUFFER);
        for (var line = lines.readLine(); line != null; line = lines.readLine()) {
            int port = localPort(line);
            if (port >= 0 && ports.test(port)) {
                parse(line).ifPresent(taker);
            }
        }
    }

    /** What stands behind the second colon, in four digits; -1 if they are none. */
    static int localPort(String line) {
        int colon = line.indexOf(':', line.indexOf(':') + 1);
        if (colon < 0 || line.length() < colon + 5) {
            return -1;
        }
        int port = 0;
        for (int i = colon + 1; i < colon + 5; i++) {
            int digit = Character.digit(line.charAt(i), 16);
            if (digit < 0) {
                return -1;
            }
            port = port << 4 | digit;
        }
        return port;
    }

    /** @return empty for the heading, for sockets without an owner, and for what is no such line, or not a whole one */
    Optional<Entry> parse(String line) {
        if (line.length() > LONGEST_LINE) {
            return Optional.empty();
        }
        var fields = line.strip().split("\\s+");
        if (fields.length < 10 || !fields[0].endsWith(":")) {
            return Optional.empty();
        }
        try {
            // TIME_WAIT, SYN_RECV and orphans show user 0 and no inode: taken for true they would be root's.
            if (Long.parseLong(fields[9]) == 0) {
                return Optional.empty();
            }
            long uid = Long.parseLong(fields[7]);
            return uid < 0 || uid > 0xffff_ffffL
                    ? Optional.empty()
                    : Optional.of(new Entry(address(fields[1]), address(fields[2]), uid));
        } catch (IllegalArgumentException | UnknownHostException damaged) {
            return Optional.empty();
        }
    }

    private InetSocketAddress address(String text) throws UnknownHostException {
        int colon = text.indexOf(':');
        if (colon != 8 && colon != 32 || text.length() != colon + 5) {
            throw new IllegalArgumentException("no address: " + text);
        }
        var words = ByteBuffer.wrap(HexFormat.of().parseHex(text, 0, colon)).order(order);
        var octets = ByteBuffer.allocate(words.capacity());
        while (words.hasRemaining()) {
            octets.putInt(words.getInt());
        }
        // An IPv4-mapped address comes as IPv4: InetAddress makes it so.
        int port = HexFormat.fromHexDigits(text, colon + 1, text.length());
        return new InetSocketAddress(InetAddress.getByAddress(octets.array()), port);
    }
}
