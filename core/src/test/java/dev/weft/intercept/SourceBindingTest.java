package dev.weft.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SourceBindingTest {
    /** Far from the kernel's own choice, so that other programs are unlikely to have many of these. */
    private static final PortRange FEW = new PortRange(21_000, 21_039, new BitSet());
    private static final InetAddress LOOPBACK = ip("127.0.0.1");

    private final ArrayList<AutoCloseable> open = new ArrayList<>();
    private ServerSocketChannel first;
    private ServerSocketChannel second;

    @BeforeEach
    void listen() throws Exception {
        first = kept(ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0), 200));
        second = kept(ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0), 200));
    }

    @AfterEach
    void close() throws Exception {
        for (var each : open) {
            each.close();
        }
    }

    @Test
    void beginsToConnectFromTheKernelsChoice() throws Exception {
        var leg = kept(SourceBinding.connect(address(first), Optional.empty(), false));
        assertThat(leg.isBlocking()).isFalse();
        assertThat(leg.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
        ChildMain.finish(leg);
        assertThat(SourceBinding.localAddress(leg)).contains((InetSocketAddress) kept(first.accept()).getRemoteAddress());
    }

    @Test
    void leavesFromTheChosenAddress() throws Exception {
        assumeLinux();
        var leg = kept(SourceBinding.connect(address(first), Optional.of(ip("127.0.0.2")), false));
        assertThat(leg.isBlocking()).isFalse();
        assertThat(leg.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
        // Known before the connection is finished, as the loop guard wants it.
        var local = SourceBinding.localAddress(leg).orElseThrow();
        assertThat(local.getAddress()).isEqualTo(ip("127.0.0.2"));
        ChildMain.finish(leg);
        assertThat(kept(first.accept()).getRemoteAddress()).isEqualTo(local).isEqualTo(leg.getLocalAddress());
    }

    @Test
    void usesEachPortOncePerServerWhenItChoosesThePortsItself() throws Exception {
        assumeLinux();
        int usable = 0;
        for (int port = FEW.first(); port <= FEW.last(); port++) {
            try (var probe = SocketChannel.open()) {
                probe.bind(new InetSocketAddress(LOOPBACK, port));
                usable++;
            } catch (BindException taken) {
                System.out.println("port " + port + " is taken by another program");
            }
        }
        for (var server : new ServerSocketChannel[] {first, second}) {
            var ports = new HashSet<Integer>();
            for (int i = 0; i < usable; i++) {
                var leg = kept(SourceBinding.connectWithOwnPort(address(server), LOOPBACK, FEW));
                ports.add(SourceBinding.localAddress(leg).orElseThrow().getPort());
            }
            assertThat(ports).hasSize(usable).allMatch(p -> p >= FEW.first() && p <= FEW.last());
        }
        assertThatThrownBy(() -> SourceBinding.connectWithOwnPort(address(first), LOOPBACK, FEW))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("127.0.0.1").hasMessageContaining(Addresses.text(address(first)))
                .hasMessageContaining("ip_local_port_range");
    }

    @Test
    void namesASourceThatIsNoAddressOfThisHost() {
        assumeLinux();
        var foreign = ip("203.0.113.9");
        assertThatThrownBy(() -> SourceBinding.connect(address(first), Optional.of(foreign), false))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("203.0.113.9 is not an address of this host");
        assertThatThrownBy(() -> SourceBinding.connectWithOwnPort(address(first), foreign, FEW)).isInstanceOf(BindException.class)
                .hasMessageContaining("203.0.113.9 is not an address of this host");
    }

    @Test
    void refusesASourceOfTheOtherFamily() {
        assertThatThrownBy(() -> SourceBinding.connect(address(first), Optional.of(ip("::1")), false))
                .isInstanceOf(BindException.class)
                .hasMessageContaining("0:0:0:0:0:0:0:1").hasMessageContaining("family");
    }

    @Test
    void saysThatAServerRefused() throws Exception {
        var gone = address(first);
        first.close();
        for (var source : new Optional<?>[] {Optional.empty(), Optional.of(LOOPBACK)}) {
            assertThatThrownBy(() -> {
                try (var leg = SourceBinding.connect(gone, source.map(InetAddress.class::cast), false)) {
                    ChildMain.finish(leg);
                }
            }).isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void refusesWhatCantBeAsked() {
        assertThatThrownBy(() -> SourceBinding.connect(InetSocketAddress.createUnresolved("mx.example", 25), Optional.empty(),
                false))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("mx.example:25");
        assertThatThrownBy(() -> SourceBinding.connect(new InetSocketAddress(LOOPBACK, 0), Optional.empty(), false))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("127.0.0.1:0");
        assertThatThrownBy(() -> SourceBinding.connect(address(first), Optional.empty(), true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("source address");
    }

    @Test
    void saysThatAClosedChannelIsClosed() throws Exception {
        var leg = SourceBinding.connect(address(first), Optional.empty(), false);
        leg.close();
        assertThatThrownBy(() -> SourceBinding.localAddress(leg)).isInstanceOf(ClosedChannelException.class);
        if (SocketOptionHelper.isLinux()) {
            assertThatThrownBy(() -> SocketOptionHelper.setMark(leg, 1)).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void walksOverEveryPortOnceButTheReserved() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int size = 1; size < 60; size++) {
            var range = PortRange.parse("40000 " + (40000 + size - 1), "40003,40010-40012,80");
            var walk = range.walk(random);
            var seen = new HashSet<Integer>();
            for (int i = 0; i < size; i++) {
                int port = walk.applyAsInt(i);
                assertThat(port == -1 || port >= 40000 && port < 40000 + size && seen.add(port))
                        .as("seed %d, size %d", seed, size).isTrue();
            }
            assertThat(seen).as("seed %d, size %d", seed, size).doesNotContain(40003, 40010, 40011, 40012)
                    .hasSize(size - (int) range.reserved().stream().filter(p -> p >= 40000 && p <= range.last()).count());
        }
    }

    @Test
    void readsTheKernelsRange() throws Exception {
        assumeLinux();
        var kernels = ChildJvm.run(List.of("cat", "/proc/sys/net/ipv4/ip_local_port_range")).strip().split("\\s+");
        var range = PortRange.ofThisHost();
        assertThat(kernels).containsExactly(String.valueOf(range.first()), String.valueOf(range.last()));
    }

    @Test
    void takesTheUsualRangeWhenTheKernelsCantBeRead() {
        assertThat(PortRange.parse("", "")).isEqualTo(PortRange.USUAL);
        assertThat(PortRange.parse("99 98", "")).isEqualTo(PortRange.USUAL);
        assertThat(PortRange.parse("1024\t65535\n", "\n")).isEqualTo(new PortRange(1024, 65535, new BitSet()));
    }

    private <C extends AutoCloseable> C kept(C channel) {
        open.add(channel);
        return channel;
    }

    private static InetSocketAddress address(ServerSocketChannel server) {
        try {
            return (InetSocketAddress) server.getLocalAddress();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static InetAddress ip(String literal) {
        return Addresses.parse(literal).orElseThrow();
    }

    private static void assumeLinux() {
        assumeTrue(SocketOptionHelper.isLinux(), "only Linux has all of 127.0.0.0/8 and these errors");
    }
}
