package dev.weft.tls.spi.support;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads the handshake messages that pass by in clear, however they are cut into records (RFC 8446 sections 5.1 and 4) and however
 * the records are cut into calls. It only looks: whether they make sense is the engine's business.
 */
final class HandshakeMessages {
    static final int CHANGE_CIPHER_SPEC = 20;
    static final int HANDSHAKE = 22;

    private static final int RECORD_HEADER = 5;
    private static final int MESSAGE_HEADER = 4;
    private static final int LONGEST_WANTED = 1 << 16;

    /** Who wants to know; says when it has seen enough. */
    interface Reader {
        /** Whether the body of a message of this type is to be kept for {@link #message}. */
        boolean wants(int type);

        /** A message: at its end with its body if that was wanted, else at its header with an empty one. True: enough. */
        boolean message(int type, byte[] body);

        /** A record of another kind than handshake begins. True: enough. */
        boolean otherRecord(int type);
    }

    private final Reader reader;
    private final byte[] header = new byte[RECORD_HEADER];
    private int headerLength;
    private int recordLeft;
    private byte[] message = new byte[MESSAGE_HEADER];
    private int messageLength;
    private int messageLeft;
    private boolean skipping;
    private boolean done;

    HandshakeMessages(Reader reader) {
        this.reader = reader;
    }

    /** Looks at the bytes from one index of the buffer up to another, leaving its position alone. */
    void look(ByteBuffer bytes, int from, int to) {
        for (int i = from; i < to && !done; ) {
            if (recordLeft == 0) {
                header[headerLength++] = bytes.get(i++);
                if (headerLength == RECORD_HEADER) {
                    headerLength = 0;
                    recordLeft = (header[3] & 0xff) << 8 | header[4] & 0xff;
                    done = header[0] != HANDSHAKE && reader.otherRecord(header[0]);
                }
            } else if (header[0] != HANDSHAKE || skipping) {
                int n = Math.min(to - i, recordLeft);
                if (skipping) {
                    n = Math.min(n, messageLeft);
                    messageLeft -= n;
                    skipping = messageLeft > 0;
                }
                recordLeft -= n;
                i += n;
            } else if (messageLength < MESSAGE_HEADER) {
                recordLeft--;
                headerByte(bytes.get(i++));
            } else {
                int n = Math.min(Math.min(to - i, recordLeft), messageLeft);
                bytes.get(i, message, messageLength, n);
                messageLength += n;
                messageLeft -= n;
                recordLeft -= n;
                i += n;
                deliverIfWhole();
            }
        }
        if (done) {
            message = null;
        }
    }

    private void headerByte(byte b) {
        message[messageLength++] = b;
        if (messageLength < MESSAGE_HEADER) {
            return;
        }
        messageLeft = (message[1] & 0xff) << 16 | (message[2] & 0xff) << 8 | message[3] & 0xff;
        if (!reader.wants(message[0])) {
            skipping = messageLeft > 0;
            deliver(new byte[0]);
        } else if (messageLeft > LONGEST_WANTED) {
            done = true;
        } else {
            message = Arrays.copyOf(message, MESSAGE_HEADER + messageLeft);
            deliverIfWhole();
        }
    }

    private void deliverIfWhole() {
        if (messageLeft == 0) {
            deliver(Arrays.copyOfRange(message, MESSAGE_HEADER, message.length));
        }
    }

    private void deliver(byte[] body) {
        done = reader.message(message[0], body);
        message = new byte[MESSAGE_HEADER];
        messageLength = 0;
    }
}
