package dev.weft.intercept;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Random;
import java.util.function.IntUnaryOperator;

/** The kernel's range of local ports, less those that the administrator reserved for services. */
record PortRange(int first, int last, BitSet reserved) {
    /** The kernel's defaults. */
    static final PortRange USUAL = new PortRange(32768, 60999, new BitSet());

    private static final int HIGHEST = 65535;
    private static final int LONGEST_SETTING = 64 * 1024;

    static PortRange ofThisHost() {
        return parse(read("ip_local_port_range"), read("ip_local_reserved_ports"));
    }

    static PortRange parse(String range, String reserved) {
        var ends = range.strip().split("\\s+");
        int first = ends.length == 2 ? Addresses.number(ends[0], HIGHEST) : -1;
        int last = ends.length == 2 ? Addresses.number(ends[1], HIGHEST) : -1;
        return first > 0 && last >= first ? new PortRange(first, last, reserved(reserved)) : USUAL;
    }

    int size() {
        return last - first + 1;
    }

    /** Visits every port of the range once, in an order of its own: step number (from 0) to port, or -1 for a reserved one. */
    IntUnaryOperator walk(Random random) {
        int size = size();
        int start = random.nextInt(size);
        int stride = 1 + random.nextInt(size);
        while (gcd(stride, size) != 1) {
            stride = 1 + random.nextInt(size);
        }
        long step = stride;
        return i -> {
            int port = first + (int) ((start + i * step) % size);
            return reserved.get(port) ? -1 : port;
        };
    }

    private static BitSet reserved(String list) {
        var ports = new BitSet();
        for (var part : list.strip().split(",")) {
            int dash = part.indexOf('-');
            int from = Addresses.number(dash < 0 ? part : part.substring(0, dash), HIGHEST);
            int to = dash < 0 ? from : Addresses.number(part.substring(dash + 1), HIGHEST);
            if (from >= 0 && to >= from) {
                ports.set(from, to + 1);
            }
        }
        return ports;
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    private static String read(String setting) {
        try (var in = Files.newInputStream(Path.of("/proc/sys/net/ipv4", setting))) {
            // One read: the kernel gives a setting to the first read alone, and Files.readString asks for a single byte first.
            var buffer = new byte[LONGEST_SETTING];
            int length = in.read(buffer);
            return length < 0 ? "" : new String(buffer, 0, length, StandardCharsets.US_ASCII);
        } catch (IOException e) {
            return ""; // not Linux, or no /proc here: the usual range it is
        }
    }
}
