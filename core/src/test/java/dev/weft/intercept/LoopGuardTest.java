package dev.weft.intercept;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LoopGuardTest {
    private final AtomicLong now = new AtomicLong(-5);
    private final AtomicInteger readings = new AtomicInteger();
    private volatile Set<InetAddress> host = Set.of(ip("10.77.1.1"), ip("2001:db8::77"));
    private final LoopGuard guard = new LoopGuard(now::get, () -> {
        readings.incrementAndGet();
        return host;
    });

    @Test
    void refusesTheAddressOfAListener() {
        guard.add(at("10.77.1.1", 2525));
        assertThat(guard.refusal(at("10.77.1.1", 2525)).orElseThrow()).contains("10.77.1.1:2525");
        assertThat(guard.refusal(at("10.77.1.1", 25))).isEmpty();
        assertThat(guard.refusal(at("10.77.1.2", 2525))).isEmpty();
        assertThat(guard.refusal(at("127.0.0.1", 2525))).isEmpty();
    }

    @Test
    void refusesEveryAddressOfThisHostAtTheWildcardsPort() {
        guard.add(at("::", 25));
        for (var own : new String[] {"10.77.1.1", "2001:db8::77", "127.0.0.1", "127.8.9.10", "::1", "0.0.0.0", "::"}) {
            assertThat(guard.refusal(at(own, 25))).as(own).isPresent();
            assertThat(guard.refusal(at(own, 26))).as(own).isEmpty();
        }
        assertThat(guard.refusal(at("203.0.113.9", 25))).isEmpty();
        assertThat(guard.refusal(at("2001:db8::78", 25))).isEmpty();
    }

    @Test
    void knowsThatConnectingToTheWildcardReachesALoopbackListener() {
        guard.add(at("127.0.0.1", 2525));
        assertThat(guard.refusal(at("0.0.0.0", 2525))).isPresent();
    }

    @Test
    void undoesMappedAddresses() throws Exception {
        var bytes = new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 77, 1, 1};
        var mapped = new InetSocketAddress(Inet6Address.getByAddress(null, bytes, -1), 25);
        guard.add(at("::", 25));
        assertThat(guard.refusal(mapped)).isPresent();
        guard.leaving(mapped, at("203.0.113.9", 25));
        assertThat(guard.refusalOfClient(at("10.77.1.1", 25), at("203.0.113.9", 25))).isPresent();
    }

    @Test
    void forgetsAListenerOnlyWhenTheLastOfItsAddressStops() {
        var shared = at("10.77.1.1", 25);
        guard.add(shared);
        guard.add(shared);
        guard.remove(shared);
        assertThat(guard.refusal(shared)).isPresent();
        guard.remove(shared);
        assertThat(guard.refusal(shared)).isEmpty();
        guard.remove(shared);
        assertThat(guard.refusal(shared)).isEmpty();
    }

    @Test
    void readsTheHostsAddressesAtMostEveryTenSecondsAndOnlyAtAListenersPort() {
        guard.add(at("0.0.0.0", 2525));
        assertThat(readings).hasValue(1);
        now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        guard.refusal(at("203.0.113.9", 25));
        assertThat(readings).hasValue(1);

        host = Set.of(ip("203.0.113.9"));
        assertThat(guard.refusal(at("203.0.113.9", 2525))).isPresent();
        assertThat(readings).hasValue(2);

        host = Set.of();
        now.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
        assertThat(guard.refusal(at("203.0.113.9", 2525))).isPresent();
        assertThat(readings).hasValue(2);
        now.incrementAndGet();
        assertThat(guard.refusal(at("203.0.113.9", 2525))).isEmpty();
        assertThat(readings).hasValue(3);
    }

    @Test
    void findsTheAddressesOfThisHostByItself() throws Exception {
        var real = new LoopGuard();
        real.add(at("::", 25));
        var interfaces = java.net.NetworkInterface.networkInterfaces().flatMap(java.net.NetworkInterface::inetAddresses).toList();
        assertThat(interfaces).isNotEmpty().allSatisfy(own -> assertThat(real.refusal(new InetSocketAddress(own, 25)))
                .isPresent());
        assertThat(real.refusal(at("203.0.113.9", 25))).isEmpty();
    }

    @Test
    void refusesItsOwnServerLegThatComesBack() {
        var local = at("10.77.1.1", 40000);
        var server = at("203.0.113.9", 25);
        guard.leaving(local, server);
        assertThat(guard.refusalOfClient(local, server).orElseThrow()).contains("10.77.1.1:40000").contains("203.0.113.9:25");
        assertThat(guard.refusalOfClient(at("10.77.1.1", 40001), server)).isEmpty();
        guard.left(local, server);
        assertThat(guard.refusalOfClient(local, server)).isEmpty();
    }

    @Test
    void letsAClientsOwnConnectionPassWhenAServerLegBearsItsAddressElsewhere() {
        guard.leaving(at("192.0.2.1", 40000), at("203.0.113.9", 25));
        assertThat(guard.refusalOfClient(at("192.0.2.1", 40000), at("203.0.113.10", 25))).isEmpty();
    }

    @Test
    void keepsCountWhenManyThreadsComeAndGo() throws Exception {
        var local = at("10.77.1.1", 40000);
        var server = at("203.0.113.9", 25);
        guard.leaving(local, server);
        var threads = Executors.newFixedThreadPool(4);
        try {
            var work = new ArrayList<Callable<Boolean>>();
            for (int t = 0; t < 4; t++) {
                work.add(() -> {
                    boolean always = true;
                    for (int i = 0; i < 5000; i++) {
                        guard.leaving(local, server);
                        always &= guard.refusalOfClient(local, server).isPresent();
                        guard.left(local, server);
                        always &= guard.refusalOfClient(local, server).isPresent();
                    }
                    return always;
                });
            }
            for (var done : threads.invokeAll(work)) {
                assertThat(done.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
        guard.left(local, server);
        assertThat(guard.refusalOfClient(local, server)).isEmpty();
    }

    private static InetAddress ip(String literal) {
        return Addresses.parse(literal).orElseThrow();
    }

    private static InetSocketAddress at(String literal, int port) {
        return new InetSocketAddress(ip(literal), port);
    }
}
