package dev.weft.intercept;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * IP literals read by own code, because {@link InetAddress#getByName} would ask the resolver about whatever is not a literal,
 * and a peer must never make an event loop wait for DNS.
 */
final class Addresses {
    /** The longest text of an IPv6 address: six groups of four and a dotted tail. */
    private static final int LONGEST_LITERAL = 45;

    private Addresses() {
    }

    /** A strict literal: dotted IPv4 without leading zeros, or IPv6 (RFC 4291 §2.2) without a zone; IPv4-mapped becomes IPv4. */
    static Optional<InetAddress> parse(String literal) {
        return bytes(literal).map(Addresses::of);
    }

    /** As {@link #parse}, but the address as it was written: 16 bytes for an IPv4-mapped one. */
    static Optional<byte[]> bytes(String literal) {
        if (literal.length() > LONGEST_LITERAL) {
            return Optional.empty();
        }
        return Optional.ofNullable(literal.indexOf(':') >= 0 ? v6(literal) : v4(literal));
    }

    /** Never a look-up; the JDK undoes the IPv4-mapped form here. */
    static InetAddress of(byte[] address) {
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("an IP address has 4 or 16 bytes, not " + address.length, e);
        }
    }

    static InetAddress unmapped(InetAddress address) {
        return address instanceof Inet6Address && isMapped(address.getAddress()) ? of(address.getAddress()) : address;
    }

    static InetSocketAddress unmapped(InetSocketAddress address) {
        var plain = unmapped(address.getAddress());
        return plain == address.getAddress() ? address : new InetSocketAddress(plain, address.getPort());
    }

    static boolean isMapped(byte[] address) {
        if (address.length != 16 || address[10] != (byte) 0xff || address[11] != (byte) 0xff) {
            return false;
        }
        for (int i = 0; i < 10; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return true;
    }

    static boolean sameFamily(InetAddress a, InetAddress b) {
        return a instanceof Inet4Address == b instanceof Inet4Address;
    }

    /** For messages: never asks the resolver for a name, unlike some of the JDK's own texts. */
    static String text(InetSocketAddress address) {
        if (address.isUnresolved()) {
            return address.getHostString() + ":" + address.getPort();
        }
        var host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    /**
     * A decimal number as it would be printed: digits only, no sign, no leading zero; -1 for anything else or beyond the limit.
     */
    static int number(String digits, int limit) {
        if (digits.isEmpty() || digits.length() > 5 || digits.length() > 1 && digits.charAt(0) == '0') {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = value * 10 + c - '0';
        }
        return value <= limit ? value : -1;
    }

    private static byte[] v4(String literal) {
        var parts = literal.split("\\.", -1);
        if (parts.length != 4) {
            return null;
        }
        var address = new byte[4];
        for (int i = 0; i < 4; i++) {
            int octet = number(parts[i], 255);
            if (octet < 0) {
                return null;
            }
            address[i] = (byte) octet;
        }
        return address;
    }

    private static byte[] v6(String literal) {
        int gap = literal.indexOf("::");
        if (gap < 0) {
            var whole = groups(literal, true);
            return whole != null && whole.length == 16 ? whole : null;
        }
        if (literal.indexOf("::", gap + 1) >= 0) {
            return null;
        }
        var head = groups(literal.substring(0, gap), false);
        var tail = groups(literal.substring(gap + 2), true);
        if (head == null || tail == null || head.length + tail.length > 14) {
            return null;
        }
        var address = new byte[16];
        System.arraycopy(head, 0, address, 0, head.length);
        System.arraycopy(tail, 0, address, 16 - tail.length, tail.length);
        return address;
    }

    private static byte[] groups(String text, boolean mayEndDotted) {
        if (text.isEmpty()) {
            return new byte[0];
        }
        var parts = text.split(":", -1);
        boolean dotted = mayEndDotted && parts[parts.length - 1].indexOf('.') >= 0;
        var bytes = new byte[2 * parts.length + (dotted ? 2 : 0)];
        for (int i = 0; i < parts.length; i++) {
            if (dotted && i == parts.length - 1) {
                var end = v4(parts[i]);
                if (end == null) {
                    return null;
                }
                System.arraycopy(end, 0, bytes, 2 * i, 4);
                return bytes;
            }
            int group = hex(parts[i]);
            if (group < 0) {
                return null;
            }
            bytes[2 * i] = (byte) (group >> 8);
            bytes[2 * i + 1] = (byte) group;
        }
        return bytes;
    }

    private static int hex(String digits) {
        if (digits.isEmpty() || digits.length() > 4) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            // Character.digit alone would take the digits of every script.
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value << 4 | digit;
        }
        return value;
    }
}
