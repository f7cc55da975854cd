package dev.weft.session;

import dev.weft.smtp.EnhancedCode;
import dev.weft.smtp.Reply;
import java.util.Objects;
import java.util.Optional;

/**
 * Why a server leg could not be opened for a transaction.
 *
 * @param reply what the client is told: always a 451, since a 421 would suspend the destination in its queue, and a server that
 *        refuses this connection says nothing about a recipient
 * @param why for the log
 * @param said the server's own reply, if it was one that refused; where no turn came, the last one while it was waited for
 * @param stage how far the leg had come
 */
public record LegRefusal(Reply reply, String why, Optional<Reply> said, Stage stage) {

    /** How far an opening had come. */
    public enum Stage {
        /** No turn came: none was opened. */
        TURN,
        /** A fault of this side: it says nothing about the server. */
        HERE,
        /** No connection, or none in time. */
        CONNECT,
        /** The server refused in its greeting, closed before it, or did not greet in time. */
        GREETING,
        /** EHLO or HELO was refused, or the server went. */
        HELLO,
        /** The route's TLS policy can't be met. */
        TLS
    }

    /**
     * Checks that nothing is null.
     *
     * @param reply what the client is told
     * @param why for the log
     * @param said the server's own reply
     * @param stage how far the leg had come
     */
    public LegRefusal {
        Objects.requireNonNull(reply, "reply");
        Objects.requireNonNull(why, "why");
        Objects.requireNonNull(said, "said");
        Objects.requireNonNull(stage, "stage");
    }

    /** In the server's own words; its enhanced code stays, but for the class. */
    static LegRefusal said(Reply reply, Stage stage) {
        var code = reply.enhancedCode().orElse(new EnhancedCode(4, 4, 1));
        var enhanced = new EnhancedCode(4, code.subject(), code.detail()).toString();
        var words = Answers.printable(reply.code() + " " + reply.text());
        return new LegRefusal(Reply.of(451, enhanced, "Server refuses the connection: " + words),
                (stage == Stage.GREETING ? "greeting: " : "EHLO: ") + words, Optional.of(reply), stage);
    }

    static LegRefusal of(String enhanced, String text, Stage stage) {
        return new LegRefusal(Reply.of(451, enhanced, Answers.printable(text)), text, Optional.empty(), stage);
    }

    static LegRefusal unreachable(String why) {
        return of("4.4.1", "Server can't be reached: " + why, Stage.CONNECT);
    }

    /**
     * No turn came in time, or too many of the tenant wait.
     *
     * @param reply what the client is told
     * @param why for the log
     * @param said the last reply of the server's to a connection that it refused meanwhile, since there were too many
     * @return the refusal
     */
    public static LegRefusal noTurn(Reply reply, String why, Optional<Reply> said) {
        return new LegRefusal(reply, why, said, Stage.TURN);
    }

    /**
     * A fault of this side.
     *
     * @param why for the log
     * @return the refusal, which tells the client no more than that
     */
    public static LegRefusal failed(String why) {
        return new LegRefusal(Answers.HANDLER_FAILED, why, Optional.empty(), Stage.HERE);
    }

    static LegRefusal tls(String why) {
        return new LegRefusal(TlsJudgement.unmet(why), "TLS: " + why, Optional.empty(), Stage.TLS);
    }

    /** How far it had come, in the steps that are timed; null for a fault of this side. */
    dev.weft.relay.Stage step() {
        return switch (stage) {
            case TURN -> dev.weft.relay.Stage.LEASE;
            case HERE -> null;
            case CONNECT -> dev.weft.relay.Stage.CONNECT;
            case GREETING -> dev.weft.relay.Stage.GREETING;
            case HELLO -> dev.weft.relay.Stage.EHLO;
            case TLS -> dev.weft.relay.Stage.STARTTLS;
        };
    }
}
