package dev.weft.smtp;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The header of a message: its fields in their order, octet for octet. It ends before the empty line, or before the first line
 * that is no field and continues none; that line, and all behind it, is the body's. Immutable: the methods that change it give
 * changed copies.
 */
public final class Headers {

    /** No fields. */
    public static final Headers NONE = new Headers(List.of());

    private final List<Header> fields;

    private Headers(List<Header> fields) {
        this.fields = List.copyOf(fields);
    }

    /**
     * Reads the header at the beginning of a message.
     *
     * @param message the message, or as much of its beginning as is there; a last line without a CRLF is not looked at
     * @return the fields that are complete
     */
    public static Headers parse(byte[] message) {
        var fields = new ArrayList<Header>();
        int start = 0;
        while (start < message.length && Header.nameEnd(message, start, message.length) >= 0) {
            int end = fieldEnd(message, start);
            if (end < 0) {
                break;
            }
            fields.add(Header.owning(Arrays.copyOfRange(message, start, end)));
            start = end;
        }
        return new Headers(fields);
    }

    /** Behind the last field that is complete. */
    private static int end(byte[] message) {
        int end = 0;
        for (int next = 0; next >= 0 && next < message.length && Header.nameEnd(message, next, message.length) >= 0;) {
            next = fieldEnd(message, next);
            end = Math.max(end, next);
        }
        return end;
    }

    /** Behind the last line of the field; -1 if it is not whole. */
    private static int fieldEnd(byte[] message, int start) {
        int end = lineEnd(message, start);
        while (end > 0 && end < message.length && Octets.isBlank(message[end])) {
            end = lineEnd(message, end);
        }
        return end;
    }

    private static int lineEnd(byte[] message, int start) {
        for (int i = start + 1; i < message.length; i++) {
            if (message[i] == Octets.LF && message[i - 1] == Octets.CR) {
                return i + 1;
            }
        }
        return -1;
    }

    /**
     * Whether the beginning of a message holds all of its header.
     *
     * @param message the message's beginning
     * @return true if more octets can't change what {@link #parse} finds
     */
    public static boolean whole(byte[] message) {
        int length = end(message);
        int left = message.length - length;
        if (left == 0) {
            return false;
        }
        if (message[length] == Octets.CR) {
            return left > 1;
        }
        int end = message.length;
        for (int i = length; i < end; i++) {
            byte b = message[i];
            if (b == ':') {
                return i == length || Header.nameEnd(message, length, end) < 0;
            }
            if (b == Octets.LF || !Octets.isBlank(b) && (b < ' ' || b == 0x7f)) {
                return true;
            }
        }
        return left > LONGEST_NAME;
    }

    /** No field has a longer name: what goes on without a colon is text. */
    private static final int LONGEST_NAME = 998;

    /**
     * All fields.
     *
     * @return in their order, immutable
     */
    public List<Header> fields() {
        return fields;
    }

    /**
     * The fields of a name.
     *
     * @param name in any case
     * @return in their order
     */
    public List<Header> all(String name) {
        return fields.stream().filter(field -> field.is(name)).toList();
    }

    /**
     * The first field of a name.
     *
     * @param name in any case
     * @return the field, or empty if there is none
     */
    public Optional<Header> first(String name) {
        return fields.stream().filter(field -> field.is(name)).findFirst();
    }

    /**
     * These with others before them.
     *
     * @param added the new fields, topmost first
     * @return the changed copy
     */
    public Headers prepend(List<Header> added) {
        var result = new ArrayList<>(added);
        result.addAll(fields);
        return new Headers(result);
    }

    /**
     * These without the fields of a name.
     *
     * @param name in any case
     * @return the changed copy
     */
    public Headers without(String name) {
        return new Headers(fields.stream().filter(field -> !field.is(name)).toList());
    }

    /**
     * These with other fields in the place of the first of a name; its others go. If there is none, they come last.
     *
     * @param name in any case
     * @param replacement the new fields, of any name
     * @return the changed copy
     */
    public Headers replace(String name, List<Header> replacement) {
        var result = new ArrayList<Header>();
        boolean placed = false;
        for (var field : fields) {
            if (!field.is(name)) {
                result.add(field);
            } else if (!placed) {
                result.addAll(replacement);
                placed = true;
            }
        }
        if (!placed) {
            result.addAll(Objects.requireNonNull(replacement, "replacement"));
        }
        return new Headers(result);
    }

    /**
     * The octets for the wire.
     *
     * @return all fields, without the empty line
     */
    public byte[] bytes() {
        var out = new ByteArrayOutputStream(length());
        fields.forEach(field -> out.writeBytes(field.raw()));
        return out.toByteArray();
    }

    /**
     * The number of octets.
     *
     * @return of all fields
     */
    public int length() {
        return fields.stream().mapToInt(Header::length).sum();
    }

    /**
     * Two headers are equal if all their octets are.
     *
     * @param other anything
     * @return whether it has the same fields
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Headers headers && fields.equals(headers.fields);
    }

    /**
     * By the octets.
     *
     * @return the hash code
     */
    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    /**
     * For logs.
     *
     * @return the fields, each one printable
     */
    @Override
    public String toString() {
        return fields.toString();
    }
}
