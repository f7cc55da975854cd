package dev.weft.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // some connections need only be there
class InterceptionTest {

    @Test
    void findsTheLocalAddressAsIpv4OnADualStackListener() throws Exception {
        try (var listener = ServerSocketChannel.open().bind(new InetSocketAddress(0))) {
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            try (var client = SocketChannel.open(new InetSocketAddress(Addresses.parse("127.0.0.1").orElseThrow(), port));
                    var accepted = listener.accept()) {
                var found = Interception.localAddress().destination(accepted).orElseThrow();
                assertThat(found).isEqualTo(new InetSocketAddress("127.0.0.1", port));
                assertThat(found.getAddress()).isInstanceOf(Inet4Address.class);
            }
        }
    }

    @Test
    void failsWithAnIoExceptionWhenThereIsNoConnection() throws Exception {
        try (var unconnected = SocketChannel.open()) {
            assertThatThrownBy(() -> Interception.localAddress().destination(unconnected)).isInstanceOf(IOException.class);
            unconnected.close();
            assertThatThrownBy(() -> Interception.localAddress().destination(unconnected)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> Interception.redirect().destination(unconnected)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void refusesAConnectionThatWasNeverRedirected() throws Exception {
        var missing = OriginalDestinationOption.unavailable();
        assumeTrue(missing.isEmpty(), () -> missing.get());
        for (var loopback : new String[] {"127.0.0.1", "::1"}) {
            try (var listener = ServerSocketChannel.open().bind(new InetSocketAddress(0))) {
                int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
                try (var client = SocketChannel.open(new InetSocketAddress(Addresses.parse(loopback).orElseThrow(), port));
                        var accepted = listener.accept()) {
                    assertThatThrownBy(() -> Interception.redirect().destination(accepted)).isInstanceOf(IOException.class)
                            .hasMessageContaining(Addresses.text((InetSocketAddress) client.getLocalAddress()))
                            .hasMessageContaining("redirect rule");
                }
            }
        }
    }

    @Test
    void leavesTheDestinationToTheHeaderAndBelievesListedPeersOnly() throws Exception {
        var interception = new Interception.ProxyProtocol(List.of(Network.parse("10.0.0.0/8"), Network.parse("::1")));
        try (var any = SocketChannel.open()) {
            assertThat(interception.destination(any)).isEmpty();
        }
        assertThat(interception.trusts(InetAddress.getByName("10.9.9.9"))).isTrue();
        assertThat(interception.trusts(InetAddress.getByName("::1"))).isTrue();
        assertThat(interception.trusts(InetAddress.getByName("127.0.0.1"))).isFalse();
        assertThatThrownBy(() -> Interception.proxyProtocol(List.of())).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("trusted");
    }

    @Test
    void goesToTheFixedServer() throws Exception {
        var server = new InetSocketAddress("192.0.2.1", 25);
        try (var any = SocketChannel.open()) {
            assertThat(Interception.fixed(server).destination(any)).contains(server);
        }
        assertThatCode(() -> Interception.fixed(server).check()).doesNotThrowAnyException();
    }

    @Test
    void refusesAFixedServerWhereNothingCanBeConnected() {
        assertThatThrownBy(() -> Interception.fixed(InetSocketAddress.createUnresolved("mx.example.org", 25)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("mx.example.org:25")
                        .hasMessageContaining("resolve");
        assertThatThrownBy(() -> Interception.fixed(new InetSocketAddress("192.0.2.1", 0)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("192.0.2.1:0").hasMessageContaining("65535");
        assertThatThrownBy(() -> Interception.fixed(new InetSocketAddress("0.0.0.0", 25)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("wildcard");
    }

    @Test
    void refusesAListenerAddressThatCantBe() {
        assertThatThrownBy(() -> TransparentListener.open(InetSocketAddress.createUnresolved("host.example", 25), 10))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("host.example:25");
        assertThatThrownBy(() -> TransparentListener.open(new InetSocketAddress(25), 0))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("backlog 0");
    }

    @Test
    void saysThatTheListenersPortIsTaken() throws Exception {
        var missing = SocketOptionHelper.transparentUnavailable();
        assumeTrue(missing.isEmpty(), () -> missing.get());
        try (var listener = TransparentListener.open(new InetSocketAddress(0), 10)) {
            var taken = (InetSocketAddress) listener.getLocalAddress();
            assertThatThrownBy(() -> TransparentListener.open(taken, 10)).isInstanceOf(BindException.class)
                    .hasMessageContaining(Addresses.text(taken)).hasMessageContaining("another program");
        }
    }
}
