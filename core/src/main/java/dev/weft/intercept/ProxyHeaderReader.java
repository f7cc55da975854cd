package dev.weft.intercept;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads the PROXY protocol header, version 1 or 2, that a balancer puts before the client's first byte. Bytes go in as they
 * come, in any segments; nothing behind the header is consumed. No sockets, no clock, and never a look-up. For one connection
 * and one thread.
 *
 * <p>Version 1 is read strictly: single blanks, canonical numbers, CRLF. Version 2 carries TCP over IPv4 or IPv6; other
 * families are refused, and its type-length-value fields are skipped. A port may be 0 here; whether one can go there is the
 * caller's question. The header is to be believed only from peers that the host named
 * ({@link Interception.ProxyProtocol#trusts}).
 */
public final class ProxyHeaderReader {
    /** The longest version 1 header, with its CRLF; the protocol's own limit. */
    public static final int MAX_V1_BYTES = 107;

    /**
     * The longest version 2 header that is read unless the host says otherwise: 16 bytes, addresses, and room for the usual
     * fields.
     */
    public static final int MAX_V2_BYTES = 536;

    /** How far the reading has come. */
    public enum Status {
        /** The header is not complete: call again with the bytes that follow. */
        MORE,
        /** The header is complete; what remains in the buffer is the client's. */
        DONE,
        /** This is no acceptable header; the connection must be closed. */
        REFUSED
    }

    private static final byte[] V1_START = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] V2_SIGNATURE = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
    private static final int V2_FIXED = 16;
    private static final int V2_TCP4 = 0x11;
    private static final int V2_TCP6 = 0x21;

    private final int maxV2Bytes;
    /** All of a version 1 header, or the fixed part and the addresses of a version 2 header. */
    private final byte[] held = new byte[MAX_V1_BYTES];
    private int count;
    /** Version 2: where the part to hold ends, how many bytes of fields follow it, how many of these are still to come. */
    private int wanted = V2_FIXED;
    private int fields;
    private int skip;
    private Status status = Status.MORE;
    private InetSocketAddress source;
    private InetSocketAddress destination;
    private String reason;

    /** A reader with the usual bound, {@link #MAX_V2_BYTES}. */
    public ProxyHeaderReader() {
        this(MAX_V2_BYTES);
    }

    /**
     * A reader with a bound of the host's choice.
     *
     * @param maxV2Bytes the longest version 2 header to read, fixed part and fields included; 52 to 65,551
     * @throws IllegalArgumentException if the bound is out of range
     */
    public ProxyHeaderReader(int maxV2Bytes) {
        if (maxV2Bytes < V2_FIXED + 36 || maxV2Bytes > V2_FIXED + 0xffff) {
            throw new IllegalArgumentException("a version 2 header has " + (V2_FIXED + 36) + " bytes (with IPv6 addresses) to "
                    + (V2_FIXED + 0xffff) + ", so a bound of " + maxV2Bytes + " can't be right");
        }
        this.maxV2Bytes = maxV2Bytes;
    }

    /**
     * Reads on. Once the answer was {@code DONE} or {@code REFUSED} it stays so, and nothing more is consumed.
     *
     * @param in the next bytes, between position and limit
     * @return how far the header has come
     */
    public Status read(ByteBuffer in) {
        while (status == Status.MORE && in.hasRemaining()) {
            if (skip > 0) {
                int step = Math.min(skip, in.remaining());
                in.position(in.position() + step);
                skip -= step;
                if (skip == 0) {
                    finishV2();
                }
            } else {
                held[count++] = in.get();
                advance();
            }
        }
        return status;
    }

    /**
     * Who opened the connection.
     *
     * @return the client's address; null if the header spoke of no client ({@link #local})
     * @throws IllegalStateException if no header has been read
     */
    public InetSocketAddress source() {
        require(Status.DONE);
        return source;
    }

    /**
     * Where the client wanted to go.
     *
     * @return the original destination; null if the header spoke of no client ({@link #local})
     * @throws IllegalStateException if no header has been read
     */
    public InetSocketAddress destination() {
        require(Status.DONE);
        return destination;
    }

    /**
     * Whether the header spoke of no client: {@code UNKNOWN} in version 1, {@code LOCAL} in version 2, as a balancer's health
     * checks do.
     *
     * @return true if there are no addresses
     * @throws IllegalStateException if no header has been read
     */
    public boolean local() {
        require(Status.DONE);
        return destination == null;
    }

    /**
     * Why the header was refused. Holds nothing that the peer wrote, so that it may be logged.
     *
     * @return the reason
     * @throws IllegalStateException if nothing was refused
     */
    public String reason() {
        require(Status.REFUSED);
        return reason;
    }

    private void require(Status needed) {
        if (status != needed) {
            throw new IllegalStateException("the header is " + status + ", not " + needed + "; look at what read() returned");
        }
    }

    private void advance() {
        if (held[0] == V1_START[0]) {
            advanceV1();
        } else if (held[0] == V2_SIGNATURE[0]) {
            advanceV2();
        } else {
            refuse("the first byte starts neither version of the PROXY header");
        }
    }

    private void advanceV1() {
        byte last = held[count - 1];
        if (count <= V1_START.length) {
            if (last != V1_START[count - 1]) {
                refuse("the line does not start with PROXY and one blank");
            }
        } else if (last == '\n') {
            if (held[count - 2] == '\r') {
                finishV1(new String(held, V1_START.length, count - 2 - V1_START.length, StandardCharsets.ISO_8859_1));
            } else {
                refuse("the version 1 line ends in a bare LF instead of CRLF");
            }
        } else if (held[count - 2] == '\r') {
            refuse("the version 1 line holds a bare CR");
        } else if (count == MAX_V1_BYTES) {
            refuse("the version 1 line is longer than " + MAX_V1_BYTES + " bytes");
        }
    }

    private void finishV1(String line) {
        // Whatever follows UNKNOWN is to be ignored, says the protocol.
        if (line.equals("UNKNOWN") || line.startsWith("UNKNOWN ")) {
            status = Status.DONE;
            return;
        }
        var words = line.split(" ", -1);
        int length = words[0].equals("TCP4") ? 4 : words[0].equals("TCP6") ? 16 : 0;
        if (length == 0) {
            refuse("the version 1 line names neither TCP4, TCP6 nor UNKNOWN");
        } else if (words.length != 5) {
            refuse("the version 1 line needs two addresses and two ports behind " + words[0] + ", parted by single blanks");
        } else {
            source = endpoint(words[1], words[3], length);
            destination = endpoint(words[2], words[4], length);
            if (source == null || destination == null) {
                refuse("the version 1 line has a malformed " + (source == null ? "source" : "destination") + " address or port");
            } else {
                status = Status.DONE;
            }
        }
    }

    private static InetSocketAddress endpoint(String address, String port, int length) {
        var bytes = Addresses.bytes(address).filter(b -> b.length == length);
        int number = Addresses.number(port, 0xffff);
        return bytes.isEmpty() || number < 0 ? null : new InetSocketAddress(Addresses.of(bytes.get()), number);
    }

    private void advanceV2() {
        if (count <= V2_SIGNATURE.length) {
            if (held[count - 1] != V2_SIGNATURE[count - 1]) {
                refuse("the signature of a version 2 header is broken");
            }
        } else if (count == wanted) {
            if (count == V2_FIXED) {
                readFixedPart();
            }
            if (status == Status.MORE && count == wanted) {
                skip = fields;
                if (skip == 0) {
                    finishV2();
                }
            }
        }
    }

    private void readFixedPart() {
        int version = held[12] >> 4 & 0x0f;
        int command = held[12] & 0x0f;
        int family = held[13] & 0xff;
        int length = (held[14] & 0xff) << 8 | held[15] & 0xff;
        // LOCAL: the family is to be ignored, the length holds all the same.
        int addresses = command == 0 ? 0 : family == V2_TCP4 ? 12 : family == V2_TCP6 ? 36 : -1;
        if (version != 2) {
            refuse("the signature is of version 2, the version is " + version);
        } else if (command > 1) {
            refuse("command " + command + " is neither LOCAL (0) nor PROXY (1)");
        } else if (V2_FIXED + length > maxV2Bytes) {
            refuse("the version 2 header would have " + (V2_FIXED + length) + " bytes, more than " + maxV2Bytes);
        } else if (addresses < 0) {
            refuse("family and transport 0x" + Integer.toHexString(family) + " are not TCP over IPv4 (0x11) or IPv6 (0x21)");
        } else if (length < addresses) {
            refuse("the version 2 header has " + length + " bytes behind the fixed part, but its addresses need " + addresses);
        } else {
            wanted = V2_FIXED + addresses;
            fields = length - addresses;
        }
    }

    private void finishV2() {
        int length = (wanted - V2_FIXED - 4) / 2;
        if (length > 0) {
            int ports = V2_FIXED + 2 * length;
            source = new InetSocketAddress(address(V2_FIXED, length), port(ports));
            destination = new InetSocketAddress(address(V2_FIXED + length, length), port(ports + 2));
        }
        status = Status.DONE;
    }

    private InetAddress address(int at, int length) {
        return Addresses.of(Arrays.copyOfRange(held, at, at + length));
    }

    private int port(int at) {
        return (held[at] & 0xff) << 8 | held[at + 1] & 0xff;
    }

    private void refuse(String why) {
        reason = why;
        source = null;
        destination = null;
        status = Status.REFUSED;
    }
}
