package dev.weft.session;

import dev.weft.smtp.Capabilities;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.smtp.Verb;
import java.util.OptionalLong;

/** What the client was told of the server in answer to its EHLO or HELO: it holds until the next one, whichever leg there is. */
final class Promise {

    private final SmtpSession session;
    /** As the server was greeted; null before its first positive answer. */
    private Command hello;
    /** The server's last answer to EHLO, as it came. */
    private Reply answeredWith;
    private Capabilities offered;
    private boolean pipelines;

    Promise(SmtpSession session) {
        this.session = session;
    }

    Command hello() {
        return hello;
    }

    /** The EHLO or HELO under the route's own name, if it has one. */
    Command named(Command command) {
        var name = session.route.ehloName();
        return name.isEmpty() ? command : Command.of(command.verbText() + " " + name.get());
    }

    /** EHLO or HELO was answered: what the client sees is what is promised from now on. */
    Reply made(Command command, Reply reply) {
        if (!reply.isPositive()) {
            return reply;
        }
        hello = named(command);
        session.clientTls.greeted();
        if (command.verb() == Verb.HELO) {
            offered = null;
            answeredWith = null;
            pipelines = false;
            return reply.lines().size() == 1 ? reply : Capabilities.parse(reply).keep(keyword -> false).toReply();
        }
        answeredWith = reply;
        var passed = session.onMail.bound() ? session.greeter.offered(passedOn(reply)) : passedOn(reply);
        pipelines = passed.offers("PIPELINING");
        offered = session.clientTls.withholdsAuth() ? passed.without("AUTH") : passed;
        return session.clientTls.offered(offered).toReply();
    }

    /** Whether a server that answers so offers all that was promised. */
    boolean keptBy(Reply reply) {
        return offered == null || passedOn(reply).sameOrMore(offered);
    }

    private Capabilities passedOn(Reply reply) {
        return session.uses.offered(Capabilities.parse(reply).keep(this::passesOn));
    }

    private boolean passesOn(String keyword) {
        return switch (keyword) {
            case "STARTTLS" -> session.clientTls.passesThrough();
            case "REQUIRETLS" -> session.clientTls.secure() && session.serverTls.verified();
            default -> session.settings.ehloKeywords().contains(keyword);
        };
    }

    /**
     * What the server said to this EHLO before; null if it has to be asked. The client starts anew after STARTTLS, the server
     * does not.
     */
    Reply known(Command command) {
        var holds = session.server.phase == ServerPhase.READY && answeredWith != null && session.serverTls.unmet() == null;
        return holds && command.verb() == Verb.EHLO && named(command).argument().equals(hello.argument()) ? answeredWith : null;
    }

    boolean offers(String keyword) {
        return offered != null && offered.offers(keyword);
    }

    /** The largest message that the client was told of; empty if there is no limit, or none that is known. */
    OptionalLong size() {
        return offered == null ? OptionalLong.empty() : offered.size();
    }

    /** Whether the client was told that it may. */
    boolean mayPipeline() {
        return pipelines;
    }

    /** Whether commands may be read before those ahead of them are answered. */
    boolean pipelines() {
        return session.onMail.bound() ? session.onMail.offer.pipelines() : pipelines;
    }
}
