package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.intercept.Interception;
import dev.weft.testkit.ScriptedServer;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsServerContext;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** No more sessions are let in than there are descriptors for, those of the TLS engines counted. */
class DescriptorsTest {

    private static final List<String> TABLE = List.of(
            "Limit                     Soft Limit           Hard Limit           Units     ",
            "Max processes             62832                62832                processes ",
            "Max open files            1024                 524288               files     ");

    @Test
    void theSoftLimitCounts() {
        assertThat(Descriptors.limit(TABLE)).hasValue(1024);
        assertThat(Descriptors.limit(List.of("Max open files            unlimited            unlimited            files     "))).isEmpty();
        assertThat(Descriptors.limit(List.of())).isEmpty();
    }

    @Test
    void roomIsWhatTheProcessHasLeft() {
        assertThat(Descriptors.room(1024, 60)).isEqualTo(900);
        assertThat(Descriptors.room(80, 10)).as("of few, few are left to others").isEqualTo(60);
        assertThat(Descriptors.room(60, 60)).isZero();
    }

    @Test
    void aSessionHoldsTheMostUntilItIsKnownWhatItTakes() {
        var limits = new Limits(100, Integer.MAX_VALUE);
        limits.haveRoomFor(14, 6, 3);
        assertThat(limits.admit()).isTrue();
        assertThat(limits.admit()).isTrue();
        assertThat(limits.admit()).as("12 of 14 are held").isFalse();
        limits.takesFewer(4);
        assertThat(limits.admit()).as("the first is in clear").isTrue();
        assertThat(limits.admit()).isFalse();
        limits.leave(2);
        limits.leave(6);
        assertThat(limits.admit()).isTrue();
        assertThat(limits.admitted()).isEqualTo(2);
    }

    @Test
    void oneSessionIsLetInHoweverFewThereAre() {
        var limits = new Limits(100, Integer.MAX_VALUE);
        limits.haveRoomFor(0, 6, 3);
        assertThat(limits.admit()).isTrue();
        assertThat(limits.admit()).isFalse();
    }

    @Test
    void eachBackendSaysWhatItsEnginesHold() throws Exception {
        assertThat(Descriptors.Cost.of(Tls.NONE).most()).isEqualTo(2);
        assertThat(perSession(TlsParts.of("jdk").clientLeg(TlsParts.EC.material()))).isEqualTo(2);
        assertThat(perSession(TlsParts.of("conscrypt"))).isEqualTo(4);
        assertThat(perSession(TlsParts.of("conscrypt").clientLeg(TlsParts.EC.material()))).isEqualTo(6);
    }

    private static long perSession(TlsParts parts) throws TlsException {
        var config = parts.config();
        long descriptors = Descriptors.Cost.of(config).most();
        config.client().orElseThrow().close();
        config.server().ifPresent(TlsServerContext::close);
        return descriptors;
    }

    /** A server context whose engines would hold more descriptors than there are. */
    private record Greedy(TlsServerContext real) implements TlsServerContext {
        @Override
        public TlsEngine engine() throws TlsException {
            return real.engine();
        }

        @Override
        public int descriptorsPerEngine() {
            return Integer.MAX_VALUE;
        }

        @Override
        public void maintain() {}

        @Override
        public void close() {
            real.close();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whoFindsNoRoomIsToldToComeAgain() throws Exception {
        var tls = TlsParts.of("jdk").clientLeg(TlsParts.EC.material()).around(client -> client, Greedy::new);
        try (var server = ScriptedServer.start();
                var rig = Rig.with(Interception.fixed(server.address())).tls(tls.config()).start();
                var first = rig.client()) {
            first.expect(220);
            try (var second = rig.client()) {
                assertThat(second.expect(421)).startsWith("421 4.3.2");
            }
        }
    }
}
