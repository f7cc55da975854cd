package dev.weft;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.intercept.Interception;
import dev.weft.session.PoolSettings;
import dev.weft.session.Timeouts;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Each error names the setting and the mend. */
class SmtpProxyBuilderTest {

    private static final Interception SOMEWHERE = Interception.fixed(new InetSocketAddress("127.0.0.1", 2525));

    private static void refused(ThrowingCallable setting, Class<? extends Exception> as, String... parts) {
        assertThatThrownBy(setting).isInstanceOf(as).hasMessageContainingAll(parts);
    }

    @Test
    void missingSettingsAreNamed() {
        refused(() -> SmtpProxy.builder().intercept(SOMEWHERE).build(), IllegalStateException.class, "listener", "listen(");
        refused(() -> SmtpProxy.builder().listen("127.0.0.1", 0).build(), IllegalStateException.class, "interception",
                "Interception.fixed(");
    }

    @Test
    void limitsBelowOneAreRefused() {
        var builder = SmtpProxy.builder();
        refused(() -> builder.maxSessions(0), IllegalArgumentException.class, "maxSessions = 0", "at least 1");
        refused(() -> builder.maxSessionsPerClient(-1), IllegalArgumentException.class, "maxSessionsPerClient = -1",
                "at least 1");
        refused(() -> builder.loops(0), IllegalArgumentException.class, "loops = 0", "at least 1");
        refused(() -> builder.backlog(0), IllegalArgumentException.class, "backlog = 0", "at least 1");
    }

    @Test
    void settingsOfLeasedLegsAreChecked() {
        var builder = SmtpProxy.builder();
        refused(() -> builder.helloName("two words"), IllegalArgumentException.class, "two words", "mx1.example.com");
        refused(() -> builder.pool(PoolSettings.DEFAULT.withPatience(Duration.ZERO)), IllegalArgumentException.class, "PT0S", "PT30S");
        refused(() -> PoolSettings.DEFAULT.withIdle(Duration.ofSeconds(-1)), IllegalArgumentException.class, "idle = PT-1S", "zero up to");
        refused(() -> PoolSettings.DEFAULT.withMessages(0), IllegalArgumentException.class, "messages = 0", "at least 1");
        refused(() -> PoolSettings.DEFAULT.withWaiters(0), IllegalArgumentException.class, "waiters = 0", "at least 1");
        refused(() -> PoolSettings.DEFAULT.withRefusals(-1), IllegalArgumentException.class, "refusals = -1", "at least 0");
        refused(() -> PoolSettings.DEFAULT.withAge(Duration.ofDays(2)), IllegalArgumentException.class, "age = PT48H", "a day");
    }

    @Test
    void listenersThatCantBeAreRefused() throws Exception {
        refused(() -> SmtpProxy.builder().listen(InetSocketAddress.createUnresolved("mx.example", 25)),
                IllegalArgumentException.class, "mx.example", "give an address");
        refused(() -> SmtpProxy.builder().listenTransparent(InetSocketAddress.createUnresolved("mx.example", 25)),
                IllegalArgumentException.class, "mx.example", "give an address");
        try (var unbound = ServerSocketChannel.open()) {
            refused(() -> SmtpProxy.builder().listen(unbound), IllegalArgumentException.class, "not bound", "bind it");
        }
        var closed = ServerSocketChannel.open();
        closed.close();
        refused(() -> SmtpProxy.builder().listen(closed), IllegalArgumentException.class, "closed", "open one");
        refused(() -> SmtpProxy.builder().inherited(), IllegalStateException.class, "no listener was inherited",
                "StandardInput=socket");
    }

    @Test
    void fixedServerThatIsTheProxyItselfIsRefused() {
        refused(() -> SmtpProxy.builder().listen("127.0.0.1", 2525).intercept(SOMEWHERE).build(), IllegalStateException.class,
                "127.0.0.1:2525", "own listener", "another server");
        refused(() -> SmtpProxy.builder().listen("0.0.0.0", 2525).intercept(SOMEWHERE).build(), IllegalStateException.class,
                "127.0.0.1:2525", "own listener", "another server");
    }

    @Test
    void nullsAreRefusedAtOnce() {
        var builder = SmtpProxy.builder();
        refused(() -> builder.handler(null), NullPointerException.class, "handler");
        refused(() -> builder.intercept(null), NullPointerException.class, "how");
        refused(() -> builder.timeouts(null), NullPointerException.class, "timeouts");
        refused(() -> builder.settings(null), NullPointerException.class, "all");
    }

    @Test
    void timeLimitsAreNamed() {
        refused(() -> Timeouts.DEFAULT.with("idle", Duration.ZERO), IllegalArgumentException.class, "idle", "more than zero");
        refused(() -> Timeouts.DEFAULT.with("lunch", Duration.ofHours(1)), IllegalArgumentException.class, "lunch", "idle");
    }
}
