package dev.weft.examples;

import dev.weft.relay.RelaySession;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Route;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Reply;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives each session the next of several source addresses of the server's family. Where that family has none the session is
 * refused, for then the system would choose an address that nobody named.
 */
final class SourceRotation implements RelayHandler {

    private final Ring ipv4;
    private final Ring ipv6;

    SourceRotation(List<InetAddress> addresses) {
        ipv4 = new Ring(addresses.stream().filter(Inet4Address.class::isInstance).toList());
        ipv6 = new Ring(addresses.stream().filter(address -> !(address instanceof Inet4Address)).toList());
    }

    /** Those that nothing can leave from as things are. To be told and no more: an address may move here from another host. */
    static List<InetAddress> notHere(List<InetAddress> addresses) {
        return addresses.stream().filter(address -> {
            try (var probe = new Socket()) {
                probe.bind(new InetSocketAddress(address, 0));
                return false;
            } catch (IOException e) {
                return true;
            }
        }).toList();
    }

    @Override
    public Verdict<Route> connect(RelaySession session, Route proposed) {
        boolean four = proposed.server().getAddress() instanceof Inet4Address;
        var ring = four ? ipv4 : ipv6;
        return ring.addresses.isEmpty()
                ? Verdict.reject(Reply.of(421, "4.4.1", "No source address for " + (four ? "IPv4" : "IPv6")))
                : Verdict.rewrite(proposed.withSource(ring.next()));
    }

    /** All event loops take from it. */
    private record Ring(List<InetAddress> addresses, AtomicInteger turn) {
        Ring(List<InetAddress> addresses) {
            this(addresses, new AtomicInteger());
        }

        InetAddress next() {
            return addresses.get(Math.floorMod(turn.getAndIncrement(), addresses.size()));
        }
    }
}
