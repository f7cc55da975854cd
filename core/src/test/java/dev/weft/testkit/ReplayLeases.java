package dev.weft.testkit;

import dev.weft.session.LegFacts;
import dev.weft.session.LegRefusal;
import dev.weft.session.SmtpSession;
import dev.weft.smtp.Reply;
import java.net.InetSocketAddress;
import java.util.Optional;

/** The pool of legs, as a transcript plays it. */
final class ReplayLeases {

    private static final String OFFER = "mx.example.net | PIPELINING | SIZE 1000000 | 8BITMIME | CHUNKING | DSN";

    private final ReplayPort port;
    private final SmtpSession session;
    private final InetSocketAddress local;

    ReplayLeases(ReplayPort port, SmtpSession session, InetSocketAddress local) {
        this.port = port;
        this.session = session;
        this.local = local;
    }

    /** Carries out an event of leases; false if it is none. */
    boolean event(String name, String argument) {
        switch (name) {
            case "offer is asked" -> ReplayPort.require(port.offerAsked, "no offer was asked for");
            case "offer is known" -> offer(Optional.of(hello(argument)));
            case "offer is not known" -> offer(Optional.empty());
            case "offer is corrected" -> {
                ReplayPort.require(argument.equals(port.offeredLess), "the offer was corrected to " + port.offeredLess);
                port.offeredLess = null;
            }
            case "offer stands" -> ReplayPort.require(port.offeredLess == null, "the offer was corrected to " + port.offeredLess);
            case "a lease is asked" -> ReplayPort.require("leasing".equals(port.lease), "no lease is asked for: " + port.lease);
            case "a fresh lease is asked" ->
                ReplayPort.require("leasing fresh".equals(port.lease), "no fresh lease is asked for: " + port.lease);
            case "no lease is asked" -> ReplayPort.require(port.lease == null, "a lease is asked for");
            case "lease is for" -> ReplayPort.require(port.leaseRoute.toString().contains(argument), "the lease is " + port.leaseRoute);
            case "lease granted" -> grant(argument, 0);
            case "used lease granted" -> grant(argument, 3);
            case "lease refused" -> {
                port.answerLease(false);
                var words = argument.split(" ", 3);
                var reply = Reply.of(Integer.parseInt(words[0]), words[1], words[2]);
                port.input(() -> session.leaseRefused(port.generation(), LegRefusal.noTurn(reply, words[2], Optional.empty())));
            }
            case "given back" -> ReplayPort.require(argument.equals(port.use), "given back: " + port.use);
            case "turned away" -> ReplayPort.require(argument.equals(port.turnedAway), "turned away: " + port.turnedAway);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void offer(Optional<Reply> hello) {
        ReplayPort.require(port.offerAsked, "no offer was asked for");
        port.offerAsked = false;
        port.input(() -> session.offerKnown(hello));
    }

    private void grant(String offer, int transactions) {
        port.answerLease(true);
        var facts = new LegFacts(local, hello(offer), Optional.empty(), Optional.empty(), transactions);
        port.input(() -> session.leaseGranted(port.generation(), facts));
    }

    private static Reply hello(String lines) {
        return Reply.plain(250, (lines.isEmpty() ? OFFER : lines).split(" \\| "));
    }
}
