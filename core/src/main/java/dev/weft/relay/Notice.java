package dev.weft.relay;

import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * Something noteworthy that changed nothing by itself.
 *
 * @param kind what was noticed
 * @param detail for a log: printable, never with credentials; may be empty. Its wording may change: what can be acted upon is in
 *        the rest
 * @param server the server that it is about; empty if it is about the client, or was noticed before there was a route
 * @param source the address that the server leg left from, or was to leave from; empty without a server, or if there is no leg
 *        and the system is to choose
 * @param reply what the server said, where that is what was noticed, or why
 * @param stage the step that failed, where one did
 */
public record Notice(
        Kind kind,
        String detail,
        Optional<InetSocketAddress> server,
        Optional<InetAddress> source,
        Optional<Reply> reply,
        Optional<Stage> stage) {

    /** What can be noticed. */
    public enum Kind {
        /** The client spoke before the greeting (RFC 5321 §4.3.1). */
        EARLY_TALKER,
        /** The client sent on past a command that it had to wait for (RFC 2920 §3.1). */
        UNASKED_PIPELINING,
        /** The server ended a reply line with a bare LF. */
        BARE_LF_REPLY(true),
        /** The lines of one reply bore different codes. */
        MIXED_CODES(true),
        /** The server sent what is no reply; the detail shows it. */
        MALFORMED_REPLY(true),
        /** The message held something that some receivers take for its end; it was refused. */
        SMUGGLING_REFUSED,
        /** A command line held a bare CR or LF, or was too long; it was refused. */
        BAD_LINE,
        /**
         * A transaction got no server leg, bound {@link Binding#ON_MAIL}; its client got a 451. The session's transaction is the
         * one concerned. The stage says how far it came: {@link Stage#LEASE} where no turn came in time, {@link Stage#CONNECT}
         * where the server can't be reached, {@link Stage#GREETING} where it refused in its greeting or, without a reply, did not
         * greet; {@link Stage#EHLO}, {@link Stage#STARTTLS}; none for a fault of this side. A server that refused only for the
         * number of connections is not told of here while the transaction waits for another turn; if none comes, what it said
         * last is the reply.
         */
        LEASE_REFUSED(true),
        /** A leased server leg sent what answers no command, and was dropped; the detail says what. */
        OUT_OF_STEP(true),
        /** The server answered before the message had ended. */
        EARLY_REPLY(true),
        /** A message that was to be held could not be kept, or not be read again; the detail says why. */
        MESSAGE_NOT_KEPT,
        /** A fresh server leg replaced the former one. */
        FRESH_SERVER_LEG(true),
        /**
         * TLS failed on the server leg, and the session goes on in clear, as its policy allows; the detail says why it failed.
         */
        TLS_FALLBACK(true),
        /** Client and server speak TLS with each other from here on: nothing of it is seen, no handler is asked. */
        TLS_PASSED_THROUGH(true),
        /** The route's TLS policy can't be met: no mail passes; the detail says why. */
        TLS_UNMET(true);

        private final boolean ofServer;

        Kind() {
            this(false);
        }

        Kind(boolean ofServer) {
            this.ofServer = ofServer;
        }

        /**
         * Whether it is about the server leg.
         *
         * @return true if such a notice names the server
         */
        public boolean ofServer() {
            return ofServer;
        }
    }

    /**
     * Checks that nothing is null.
     *
     * @param kind what was noticed
     * @param detail for a log: printable, never with credentials; may be empty
     * @param server the server that it is about
     * @param source the address that the server leg left from, or was to leave from
     * @param reply what the server said
     * @param stage the step that failed
     */
    public Notice {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(detail, "detail");
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(reply, "reply");
        Objects.requireNonNull(stage, "stage");
    }

    /**
     * A notice that has words only.
     *
     * @param kind what was noticed
     * @param detail for a log: printable, never with credentials; may be empty
     */
    public Notice(Kind kind, String detail) {
        this(kind, detail, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }
}
