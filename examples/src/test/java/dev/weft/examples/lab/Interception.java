package dev.weft.examples.lab;

import java.util.ArrayList;
import java.util.List;

/** The ways by which the routing host hands the senders' port-25 traffic to the proxy. */
enum Interception {
    /** The packet keeps its destination; a transparent listener, opened by a privileged parent, accepts it. */
    TPROXY(Steering.rules(""), ProxyProcess.UNPRIVILEGED, List.of("--intercept", "inherited")),

    /** The same, and the server leg leaves from the client's own address; what comes back to it must be steered to the proxy. */
    TPROXY_FROM_CLIENT_ADDRESS(Steering.rules("tcp sport 25 socket transparent 1 meta mark set 0x19 accept"),
            ProxyProcess.ONLY_NET_RAW, List.of("--intercept", "inherited", "--source", "client")),

    /** The packet's destination is rewritten to the router itself; the proxy asks the kernel for the original. */
    REDIRECT("""
            table inet weft {
              chain prerouting {
                type nat hook prerouting priority dstnat; policy accept;
                iifname { "c1", "c2", "c3" } tcp dport 25 redirect to :2525
              }
            }
            """, ProxyProcess.UNPRIVILEGED, List.of("--intercept", "redirect", "--listen", "[::]:2525"));

    /** A dual-stack socket with IP_TRANSPARENT (level 0, option 19), listening before the rights are dropped. */
    private static final String PARENT = """
            use Socket qw(:DEFAULT IN6ADDR_ANY pack_sockaddr_in6);
            socket(my $s, AF_INET6, SOCK_STREAM, 0) or die "socket: $!";
            setsockopt($s, SOL_SOCKET, SO_REUSEADDR, pack("i", 1)) or die "SO_REUSEADDR: $!";
            setsockopt($s, 0, 19, pack("i", 1)) or die "IP_TRANSPARENT: $!";
            setsockopt($s, 41, 26, pack("i", 0)) or die "IPV6_V6ONLY: $!";
            bind($s, pack_sockaddr_in6(2525, IN6ADDR_ANY)) or die "bind: $!";
            listen($s, 4096) or die "listen: $!";
            open(STDIN, "+<&", $s) or die "dup: $!";
            exec {$ARGV[0]} @ARGV or die "exec: $!";
            """;

    private final String rules;
    private final List<String> rights;
    private final List<String> proxyOptions;

    Interception(String rules, List<String> rights, List<String> proxyOptions) {
        this.rules = rules;
        this.rights = rights;
        this.proxyOptions = proxyOptions;
    }

    /** Loads routes and packet filter of the routing host. */
    void apply(Namespaces net) {
        if (this != REDIRECT) {
            Steering.deliverMarked(net);
        }
        Steering.load(net, rules);
    }

    /** The proxy's own options for this way. */
    List<String> proxyOptions() {
        return proxyOptions;
    }

    /** What runs before the proxy and becomes it: opens a listener with all rights where one is needed, then gives them up. */
    List<String> wrapper() {
        var wrapper = new ArrayList<String>();
        if (this != REDIRECT) {
            wrapper.addAll(List.of("perl", "-e", PARENT));
        }
        wrapper.addAll(rights);
        return wrapper;
    }

    /** The address that the receiver sees as its client. */
    String clientSeenBy(String receiver, String sender, Family family) {
        return this == TPROXY_FROM_CLIENT_ADDRESS
                ? Topology.senderAddress(sender, family)
                : Topology.routerAddress(receiver, family);
    }
}
