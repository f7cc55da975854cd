package dev.weft.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The kernel's part, in a network namespace of our own: one host whose locally made connections to port 25 are intercepted, and
 * a foreign world behind an interface where nobody answers.
 */
class NamespaceTest {
    private static final String NAME = "weft-" + ProcessHandle.current().pid();
    private static final String HOST = "10.9.0.1";
    private static final String HOST6 = "2001:db8:9::1";
    private static final String[] WORLD = {"198.51.100.7", "25", "2001:db8:1::7", "25", "203.0.113.200", "25"};
    private static final List<String> FLAGS = List.of(ChildJvm.ADD_OPENS, ChildJvm.NATIVE_ACCESS);
    private static boolean made;

    @BeforeAll
    static void makeNamespace() throws Exception {
        assumeTrue(SocketOptionHelper.isLinux() && System.getProperty("user.name").equals("root"),
                "network namespaces need Linux and root");
        assumeTrue(ChildJvm.finds("ip", "nft", "sysctl"), "ip, nft and sysctl are not all installed");
        try {
            sh("ip netns add " + NAME);
            made = true;
        } catch (AssertionError e) {
            assumeTrue(false, "no network namespace can be made here: " + e.getMessage());
        }
        inside("ip link set lo up");
        inside("ip link add world type veth peer name beyond");
        inside("ip link set world up; ip link set beyond up");
        inside("ip addr add " + HOST + "/24 dev world");
        inside("ip -6 addr add " + HOST6 + "/64 dev world nodad");
        inside("ip route add default dev world");
        inside("ip -6 route add default dev world");
        // Marked packets come back in over lo.
        inside("ip rule add fwmark 0x19 lookup 100; ip route add local default dev lo table 100");
        inside("ip -6 rule add fwmark 0x19 lookup 100; ip -6 route add local default dev lo table 100");
    }

    @AfterAll
    static void removeNamespace() throws Exception {
        if (made) {
            sh("ip netns del " + NAME);
        }
    }

    @Test
    void tproxyGivesTheOriginalDestinationAsLocalAddressOfATransparentListener() throws Exception {
        rules("""
                table inet weft {
                  chain prerouting {
                    type filter hook prerouting priority mangle; policy accept;
                    iifname "lo" meta mark 0x19 tcp dport 25 tproxy to :2525 accept
                  }
                  chain output {
                    type route hook output priority mangle; policy accept;
                    tcp dport 25 fib daddr type != local meta mark set 0x19
                  }
                }
                """);
        var said = child("tproxy", WORLD, HOST, "2525", HOST6, "2525");
        assertThat(said.lines()).contains(
                "198.51.100.7:25 -> 198.51.100.7:25 ok",
                "[2001:db8:1:0:0:0:0:7]:25 -> [2001:db8:1:0:0:0:0:7]:25 ok",
                "203.0.113.200:25 -> 203.0.113.200:25 ok",
                HOST + ":2525 -> " + HOST + ":2525 refused",
                "[2001:db8:9:0:0:0:0:1]:2525 -> [2001:db8:9:0:0:0:0:1]:2525 refused");
    }

    @Test
    void redirectGivesTheOriginalDestinationFromConnectionTracking() throws Exception {
        assumeTrue(Runtime.version().feature() >= 22, "SO_ORIGINAL_DST needs JDK 22 or later");
        rules("""
                table inet weft {
                  chain output {
                    type nat hook output priority -100; policy accept;
                    tcp dport 25 fib daddr type != local redirect to :2525
                  }
                }
                """);
        var said = child("redirect", WORLD, HOST, "2525", "::1", "2525");
        assertThat(said.lines()).contains(
                "198.51.100.7:25 -> 198.51.100.7:25 ok",
                "[2001:db8:1:0:0:0:0:7]:25 -> [2001:db8:1:0:0:0:0:7]:25 ok",
                "203.0.113.200:25 -> 203.0.113.200:25 ok");
        // Who dials the listener itself is refused: by the guard, or because connection tracking knows no other destination.
        assertThat(said.lines().filter(l -> l.startsWith(HOST + ":2525 -> ") || l.startsWith("[0:0:0:0:0:0:0:1]:2525 -> ")))
                .hasSize(2).allMatch(l -> l.endsWith(" refused") || l.contains("was not redirected"));
    }

    @Test
    void aServerLegLeavesUnderTheClientsAddress() throws Exception {
        inside("ip rule add pref 50 to 203.0.113.9 lookup 100; ip -6 rule add pref 50 to 2001:db8:2::9 lookup 100");
        try {
            assertThat(child("spoof", new String[] {HOST, "203.0.113.9"}).lines())
                    .contains("known: true", "peer: 203.0.113.9", "read: 1");
            assertThat(child("spoof", new String[] {HOST6, "2001:db8:2::9"}).lines())
                    .contains("known: true", "peer: 2001:db8:2:0:0:0:0:9", "read: 1");
        } finally {
            inside("ip rule del pref 50; ip -6 rule del pref 50");
        }
    }

    @Test
    void oneSourceAddressHasAFullRangeOfPortsForEachServer() throws Exception {
        inside("sysctl -q -w net.ipv4.ip_local_port_range='40000 40099'");
        for (var flags : List.of(FLAGS, List.<String>of())) {
            // Some of the hundred ports may be the listeners' own.
            var said = ChildJvm.run(in(ChildJvm.onClassPath(flags, "ports", "90", "100")));
            assertThat(said.lines()).contains("open: 180");
            assertThat(said).contains("beyond: BindException: can't leave from source address 127.0.0.1 for server 127.0.0.1:");
        }
    }

    private static String child(String part, String[] arguments, String... more) throws Exception {
        var all = new ArrayList<>(List.of(part));
        all.addAll(List.of(arguments));
        all.addAll(List.of(more));
        return ChildJvm.run(in(ChildJvm.onClassPath(FLAGS, all.toArray(String[]::new))));
    }

    private static List<String> in(List<String> command) {
        var all = new ArrayList<>(List.of("ip", "netns", "exec", NAME));
        all.addAll(command);
        return all;
    }

    private static void rules(String table) throws IOException, InterruptedException {
        ChildJvm.run(in(List.of("nft", "flush ruleset; " + table)));
    }

    private static void inside(String script) throws IOException, InterruptedException {
        ChildJvm.run(in(List.of("sh", "-ec", script)));
    }

    private static void sh(String script) throws IOException, InterruptedException {
        ChildJvm.run(List.of("sh", "-ec", script));
    }
}
