package dev.weft.examples.bench;

import dev.weft.SmtpProxy;
import dev.weft.examples.bench.TrialLedger.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Many clients wait for a turn at a server that vanishes: each is put off at once, and served once the server is back. */
final class TrialCrowd {

    private static final int STACK = 256 * 1024;
    private static final int SECONDS = 60;

    private final FaultTrial.Setup setup;
    private final SmtpProxy proxy;
    private final TrialServer server;
    private final TrialLedger ledger;
    private final AtomicInteger ids;
    private final CountDownLatch vanished = new CountDownLatch(1);
    private final CountDownLatch back = new CountDownLatch(1);
    private final CountDownLatch answered;

    TrialCrowd(FaultTrial.Setup setup, SmtpProxy proxy, TrialServer server, TrialLedger ledger, AtomicInteger ids) {
        this.setup = setup;
        this.proxy = proxy;
        this.server = server;
        this.ledger = ledger;
        this.ids = ids;
        this.answered = new CountDownLatch(setup.crowd());
    }

    void run() throws InterruptedException {
        // One of each kind first: what the server offers must be known, lest an EHLO wait for its turn to ask.
        deliver(0);
        deliver(1);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < setup.crowd(); i++) {
            int number = i;
            var thread = new Thread(null, () -> wait(number), "crowd-" + i, STACK);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
        int waiting = setup.crowd() - setup.limit();
        if (!FaultTrial.holdsWithin(SECONDS, () -> waiting() >= waiting)) {
            ledger.broken("only " + waiting() + " of " + waiting + " clients wait for a turn");
        }
        server.vanish();
        vanished.countDown();
        if (!answered.await(SECONDS, TimeUnit.SECONDS)) {
            ledger.broken(answered.getCount() + " of the crowd got no answer when the server vanished");
        }
        server.comeBack();
        back.countDown();
        for (var thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(3 * SECONDS));
            if (thread.isAlive()) {
                ledger.broken(thread.getName() + " hangs");
            }
        }
    }

    private void deliver(int number) {
        var client = client(number);
        try (var connection = client.greeted()) {
            deliver(client, connection);
        } catch (IOException e) {
            ledger.broken("before the crowd: " + e.getMessage());
        }
    }

    private void deliver(TrialClient client, TrialConnection connection) throws IOException {
        for (int tries = 0; !client.send(connection, "m" + ids.incrementAndGet()); tries++) {
            if (tries == 3) {
                throw new IOException("not delivered though the server is there; told so far: " + ledger.deferrals());
            }
            connection.hello(); // a server connection may have lacked what was offered
        }
        connection.quit(false);
    }

    private TrialClient client(int number) {
        return new TrialClient(
                proxy.addresses().get(0), FaultTrial.tenant(1000 + number), new Random(setup.seed() - number), ledger, ids);
    }

    private int waiting() {
        return proxy.destinations().stream().mapToInt(each -> each.turns().waiting()).sum();
    }

    private void wait(int number) {
        var client = client(number);
        var id = "m" + ids.incrementAndGet();
        try (var connection = client.greeted()) {
            connection.say("MAIL FROM:<" + id + "@tenant.example>\r\n");
            var reply = connection.reply(id);
            if (reply.startsWith("2")) { // one of the few whose turn it was
                vanished.await();
                connection.say("RCPT TO:<" + id + ".0@server.example>\r\n");
                reply = connection.reply(id);
            }
            if (!reply.startsWith("4")) {
                throw new IOException("the server had vanished, and yet " + id + " got " + reply);
            }
            ledger.ended(id, Outcome.DEFERRED, reply, Set.of());
            answered.countDown();
            back.await();
            connection.say("RSET\r\n");
            connection.reply(id);
            deliver(client, connection);
        } catch (IOException | InterruptedException e) {
            answered.countDown();
            ledger.broken("client of " + id + " in the crowd: " + e.getMessage());
        }
    }
}
