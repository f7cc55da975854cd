package dev.weft.session;

import dev.weft.smtp.ReplyReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * A pooled server leg between two transactions, without I/O. Nothing is asked of the server, so whatever it says or does means
 * that the leg is of no use any more: the next message is not to pay for finding that out.
 *
 * <pre>
 * IDLE -> OVER (taken for a transaction; retired with QUIT; the server spoke, closed, or broke)
 * </pre>
 */
public final class IdleLeg {

    private static final byte[] QUIT = "QUIT\r\n".getBytes(StandardCharsets.US_ASCII);

    /** What an idle leg orders. */
    public interface Port {
        /**
         * Write to the server.
         *
         * @param bytes not changed afterwards by either side
         */
        void write(byte[] bytes);

        /**
         * Close the leg.
         *
         * @param how what becomes of what was written
         * @param why for the log
         */
        void close(Closing how, String why);
    }

    private final Port port;
    private final ReplyReader replies;
    private boolean over;

    /**
     * A leg that has just become idle.
     *
     * @param settings the limits of replies
     * @param port carries out the orders
     */
    public IdleLeg(SessionSettings settings, Port port) {
        this.port = Objects.requireNonNull(port, "port");
        this.replies = new ReplyReader(settings.replyLineLimit(), settings.replyLimit());
    }

    /**
     * The server spoke unasked; most likely a 421, since it has waited long enough.
     *
     * @param in read from position to limit, and consumed
     */
    public void bytes(ByteBuffer in) {
        if (!over) {
            var said = replies.read(in) == ReplyReader.Status.REPLY ? Optional.of(replies.reply()) : Optional.empty();
            end(Closing.AWAIT_PEER, "the server spoke while it was idle" + said.map(reply -> ": " + reply).orElse(""));
        }
        in.position(in.limit());
    }

    /**
     * The server closed the leg, or it broke.
     *
     * @param why for the log
     */
    public void closed(String why) {
        if (!over) {
            end(Closing.AWAIT_PEER, why);
        }
    }

    /**
     * The leg is to serve no more.
     *
     * @param why for the log
     */
    public void retire(String why) {
        if (!over) {
            port.write(QUIT);
            end(Closing.AWAIT_PEER, why);
        }
    }

    /**
     * The leg is taken for a transaction.
     *
     * @return false if it is of no use any more
     */
    public boolean take() {
        boolean usable = !over;
        over = true;
        return usable;
    }

    private void end(Closing how, String why) {
        over = true;
        port.close(how, why);
    }
}
