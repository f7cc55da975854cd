package dev.weft.session;

import dev.weft.relay.LegTls;
import dev.weft.relay.Notice;
import dev.weft.relay.TlsPolicy;
import dev.weft.smtp.Reply;
import java.util.Optional;

/** The TLS of the server leg, how it stands by the route's policy, and what may not pass because of that. */
final class ServerTls {

    private final SmtpSession session;
    private LegTls tls;
    /** A server leg has TLS as the policy wants it; one that replaces it has to have it too. */
    private boolean met;
    private String unmet;
    private String failure;

    ServerTls(SmtpSession session) {
        this.session = session;
    }

    private TlsPolicy policy() {
        return session.route.tls();
    }

    /** Whether TLS is tried by the proxy. */
    boolean wanted() {
        return policy().wanted() && !session.clientTls.passesThrough();
    }

    /** Whether no mail may pass without it. */
    boolean demanded() {
        return policy().required();
    }

    /** The TLS of the present leg, or of the last one. */
    Optional<LegTls> tls() {
        return Optional.ofNullable(tls);
    }

    boolean secure() {
        return tls != null;
    }

    /** Whether the server is who it was asked to be. */
    boolean verified() {
        return tls != null && tls.peer().verified();
    }

    /** Why no mail may pass; null if it may. */
    String unmet() {
        return unmet;
    }

    /** Why the leg has no TLS, or not the one that is demanded. */
    Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** A new leg begins in clear. */
    void newLeg() {
        tls = null;
        met = false;
    }

    /** EHLO is said anew: what was missing may be there now, but the certificate of a leg stays what it is. */
    void tryAgain() {
        unmet = tls == null ? null : unverified();
    }

    void established(LegTls established) {
        tls = established;
        var unverified = unverified();
        if (unverified != null) {
            unmet(unverified);
        } else {
            failure = null;
        }
    }

    /** Why the certificate does not do; null if it does. */
    private String unverified() {
        return TlsJudgement.unverified(policy(), tls);
    }

    /** The leg broke in the midst of it. */
    void broke() {
        tls = null;
    }

    /** The session ends by it. */
    void failed(String why) {
        failure = why;
    }

    /** The session goes on in clear, as the policy allows. */
    void goesOnInClear(String why) {
        if (!why.equals(failure)) { // a client that says EHLO again learns nothing new, nor does the host
            failure = why;
            session.notice(Notice.Kind.TLS_FALLBACK, why);
        }
    }

    void unmet(String why) {
        unmet = why;
        failure = why;
        session.notice(Notice.Kind.TLS_UNMET, why);
    }

    /** The exchange that brings TLS has come to its end. */
    void settled() {
        met = tls != null && unmet == null;
    }

    /** A leased leg has it as its route wants it. */
    void leased(LegFacts leg) {
        tls = leg.tls().orElse(null);
        failure = leg.tlsFailure().orElse(null);
        if (failure != null && leg.transactions() == 0) {
            session.notice(Notice.Kind.TLS_FALLBACK, failure);
        }
    }

    /** What a command gets that may not reach the server, since the policy is not met, or not yet; null if it may. */
    Reply withheld() {
        if (session.onMail.bound()) {
            return null; // no leg is leased that does not meet it
        }
        if (unmet != null) {
            return unmetReply();
        }
        return demanded() && !met ? Answers.HELLO_FIRST : null;
    }

    Reply unmetReply() {
        return TlsJudgement.unmet(unmet);
    }
}
