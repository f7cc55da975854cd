package dev.weft.examples.bench;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.relay.Binding;
import dev.weft.session.PoolSettings;
import dev.weft.session.Timeouts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Random faults on either side of a proxy that is bound on mail: many clients with whims, one server at which much goes wrong,
 * all in this process. Then a crowd of clients that wait for their turn while the server vanishes, and comes back.
 */
final class FaultTrial {

    private static final long LIMIT_MINUTES = 20;
    private static final int STACK = 256 * 1024;

    private final Setup setup;
    private final TrialLedger ledger = new TrialLedger();
    private final AtomicInteger ids = new AtomicInteger();

    /**
     * What is tried.
     *
     * @param loops of the proxy
     * @param limit connections that the server allows, and that the proxy knows of
     * @param usedOnly whether a connection fails only between two transactions, up to the MAIL of the second, which no client
     *        is to notice
     * @param transactions in all
     * @param clients at a time
     * @param crowd clients that wait when the server vanishes; each sends a message before and one after
     * @param seed of all that is random
     */
    record Setup(int loops, int limit, boolean usedOnly, int transactions, int clients, int crowd, long seed) {}

    /** What came out; all is well if nothing is broken. */
    record Result(Setup setup, TrialLedger.Totals totals, Map<String, Integer> deferrals, TrialServer.Count server,
            double seconds, List<String> broken) {}

    FaultTrial(Setup setup) {
        this.setup = setup;
    }

    Result run() throws IOException, InterruptedException {
        long start = System.nanoTime();
        TrialServer.Count count;
        try (var errors = new TrialErrors(ledger);
                var server = new TrialServer(setup.limit, new TrialFaults(setup.seed, setup.usedOnly), ledger, setup.seed);
                var proxy = proxy(server)) {
            proxy.start();
            send(proxy);
            server.calm();
            await("the sessions end", () -> proxy.sessions().isEmpty());
            if (setup.crowd > 0) {
                new TrialCrowd(setup, proxy, server, ledger, ids).run();
            }
            await("nothing is left open", () -> proxy.sessions().isEmpty() && proxy.destinations().stream()
                    .allMatch(each -> each.open() == 0 && each.turns().out() == 0 && each.turns().waiting() == 0));
            count = server.count();
            if (count.open() != 0) {
                ledger.broken("the server still has " + count.open() + " connections");
            }
            if (!proxy.stop(Duration.ofSeconds(10))) {
                ledger.broken("the proxy did not stop in order");
            }
            errors.flush();
        }
        if (count.most() > setup.limit || count.refusedForNumber() > 0) {
            ledger.broken(count.most() + " connections at one time, " + count.refusedForNumber() + " refused for their number");
        }
        var totals = ledger.compare();
        if (setup.usedOnly && totals.outcomes().getOrDefault(TrialLedger.Outcome.DEFERRED, 0) > 0) {
            ledger.broken("used legs that failed cost messages: " + ledger.deferrals());
        }
        return new Result(setup, totals, ledger.deferrals(), count, (System.nanoTime() - start) / 1e9, ledger.broken());
    }

    private SmtpProxy proxy(TrialServer server) {
        return SmtpProxy.builder()
                .listen("127.0.0.1", 0)
                .intercept(Interception.fixed(server.address()))
                .binding(Binding.ON_MAIL)
                .helloName("proxy.example")
                .legLimit(LegLimit.fixed(setup.limit))
                .pool(PoolSettings.DEFAULT.withIdle(Duration.ofMillis(300)).withMessages(TrialRules.MOST_TRANSACTIONS))
                .loops(setup.loops)
                // Short ones, so that servers that fall silent don't make the trial long.
                .timeouts(Timeouts.DEFAULT.with("greeting", Duration.ofSeconds(2)).with("command", Duration.ofSeconds(2))
                        .with("data", Duration.ofSeconds(2)).with("end-of-data", Duration.ofSeconds(3)))
                .handler(new TrialHandler(ledger))
                .build();
    }

    private void send(SmtpProxy proxy) throws InterruptedException {
        var left = new AtomicInteger(setup.transactions);
        var clients = new ArrayList<Thread>();
        for (int i = 0; i < setup.clients; i++) {
            var random = new Random(setup.seed + 31L * i);
            int number = i;
            clients.add(new Thread(null, () -> {
                while (left.get() > 0) {
                    // Each client thread is several tenants in turn.
                    var own = tenant(number + setup.clients * random.nextInt(3));
                    new TrialClient(proxy.addresses().get(0), own, random, ledger, ids).session(left);
                }
            }, "client-" + i, STACK));
        }
        join(clients);
    }

    private void join(List<Thread> threads) throws InterruptedException {
        threads.forEach(thread -> thread.setDaemon(true));
        threads.forEach(Thread::start);
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(LIMIT_MINUTES);
        for (var thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
            if (thread.isAlive()) {
                ledger.broken(thread.getName() + " hangs");
            }
        }
    }

    /** An address of this host for each tenant. */
    static InetAddress tenant(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {127, 10, (byte) (number / 250), (byte) (1 + number % 250)});
        } catch (UnknownHostException e) {
            throw new IllegalStateException("four octets are an address", e);
        }
    }

    private void await(String what, BooleanSupplier condition) throws InterruptedException {
        if (!holdsWithin(30, condition)) {
            ledger.broken("in vain waited until " + what);
        }
    }

    static boolean holdsWithin(int seconds, BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(10);
        }
        return true;
    }
}
