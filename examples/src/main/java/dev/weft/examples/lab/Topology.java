package dev.weft.examples.lab;

import java.util.List;
import java.util.stream.Stream;

/**
 * Three sending hosts, a routing host, three receiving hosts, IPv4 and IPv6.
 *
 * <pre>
 * s1 10.77.1.2 ── c1 ┐                  ┌ m1 ── 10.78.1.2 mx1, owns 198.51.100.25 and 2001:db8:51::25
 * s2 10.77.2.2 ── c2 ┼─ router (proxy) ─┤
 *                                       ├ m2 ── 10.78.2.2 mx2, owns 203.0.113.25 and 2001:db8:52::25
 * s3 10.77.3.2 ── c3 ┘                  └ m3 ── 10.78.3.2 mx3, owns 192.0.2.25 and 2001:db8:53::25
 * </pre>
 *
 * <p>Routing alone connects senders and receivers: a proxy that is bypassed would go unnoticed, so the tests look at
 * the address that the receiver saw. Host names are those of the drawing; others are not checked.
 */
public final class Topology {
    /** The host that all traffic passes. */
    public static final String ROUTER = "router";
    /** The hosts that send. */
    public static final List<String> SENDERS = List.of("s1", "s2", "s3");
    /** The hosts that receive. */
    public static final List<String> RECEIVERS = List.of("mx1", "mx2", "mx3");
    /** The router's devices towards the senders. */
    public static final List<String> SENDER_DEVICES = List.of("c1", "c2", "c3");

    private Topology() {
    }

    /**
     * Makes the hosts and joins them.
     *
     * @return to be closed
     * @throws IllegalStateException if the system refuses
     */
    public static Namespaces create() {
        var net = new Namespaces(Stream.of(SENDERS, List.of(ROUTER), RECEIVERS).flatMap(List::stream).toArray(String[]::new));
        try {
            net.sysctl(ROUTER, "net.ipv4.ip_forward", "1");
            net.sysctl(ROUTER, "net.ipv6.conf.all.forwarding", "1");
            for (int i = 1; i <= SENDERS.size(); i++) {
                join(net, "s" + i, "c" + i, "10.77." + i + ".", "fd77:" + i + "::");
            }
            for (int i = 1; i <= RECEIVERS.size(); i++) {
                var host = "mx" + i;
                join(net, host, "m" + i, "10.78." + i + ".", "fd78:" + i + "::");
                net.address(host, "lo", address(host, Family.IPV4) + "/32");
                net.address(host, "lo", address(host, Family.IPV6) + "/128");
                net.route(ROUTER, address(host, Family.IPV4) + "/32", "10.78." + i + ".2");
                net.route(ROUTER, address(host, Family.IPV6) + "/128", "fd78:" + i + "::2");
            }
            return net;
        } catch (RuntimeException e) {
            net.close();
            throw e;
        }
    }

    private static void join(Namespaces net, String host, String routerDevice, String v4, String v6) {
        net.link(host, "eth0", ROUTER, routerDevice);
        net.address(host, "eth0", v4 + "2/24");
        net.address(host, "eth0", v6 + "2/64");
        net.address(ROUTER, routerDevice, v4 + "1/24");
        net.address(ROUTER, routerDevice, v6 + "1/64");
        net.route(host, "default", v4 + "1");
        net.route(host, "default", v6 + "1");
    }

    /**
     * The address that a receiving host owns: foreign to the router, as an MX of the internet is.
     *
     * @param receiver the host
     * @param family of the address
     * @return the address
     */
    public static String address(String receiver, Family family) {
        int index = RECEIVERS.indexOf(receiver);
        return switch (family) {
            case IPV4 -> List.of("198.51.100.25", "203.0.113.25", "192.0.2.25").get(index);
            case IPV6 -> "2001:db8:5" + (index + 1) + "::25";
        };
    }

    /**
     * The address from which a session that passed the proxy reaches the receiver.
     *
     * @param receiver the host
     * @param family of the address
     * @return the address
     */
    public static String routerAddress(String receiver, Family family) {
        var number = receiver.substring(2);
        return family == Family.IPV4 ? "10.78." + number + ".1" : "fd78:" + number + "::1";
    }

    /**
     * The address of a sending host.
     *
     * @param sender the host
     * @param family of the address
     * @return the address
     */
    public static String senderAddress(String sender, Family family) {
        var number = sender.substring(1);
        return family == Family.IPV4 ? "10.77." + number + ".2" : "fd77:" + number + "::2";
    }

    /**
     * The router's address on a sender's link.
     *
     * @param sender the host
     * @return the IPv4 address
     */
    public static String gateway(String sender) {
        return "10.77." + sender.substring(1) + ".1";
    }
}
