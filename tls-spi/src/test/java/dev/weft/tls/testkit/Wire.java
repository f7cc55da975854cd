package dev.weft.tls.testkit;

import java.util.Arrays;

/** One direction of a connection: bytes wait in it until they are delivered. */
public final class Wire {
    private byte[] bytes = new byte[0];
    private int sent;

    /** Makes an empty one. */
    public Wire() {}

    /**
     * Adds bytes.
     *
     * @param added go behind those that wait
     */
    public void put(byte[] added) {
        int size = bytes.length;
        bytes = Arrays.copyOf(bytes, size + added.length);
        System.arraycopy(added, 0, bytes, size, added.length);
        sent += added.length;
    }

    /**
     * Takes the bytes that come next.
     *
     * @param most how many at most
     * @return those taken
     */
    public byte[] take(int most) {
        int n = Math.min(most, bytes.length);
        var taken = Arrays.copyOf(bytes, n);
        bytes = Arrays.copyOfRange(bytes, n, bytes.length);
        return taken;
    }

    /**
     * How many bytes wait.
     *
     * @return 0 if none
     */
    public int waiting() {
        return bytes.length;
    }

    /**
     * How many bytes were ever put in.
     *
     * @return a count
     */
    public int sent() {
        return sent;
    }

    /**
     * Turns over the bits of a byte that waits.
     *
     * @param index counted from the next byte; negative from behind
     */
    public void spoil(int index) {
        int at = index < 0 ? bytes.length + index : index;
        bytes[at] ^= (byte) 0xff;
    }
}
