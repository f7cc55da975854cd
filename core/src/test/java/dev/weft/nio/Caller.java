package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.session.Closing;
import dev.weft.session.LegFacts;
import dev.weft.session.LegRefusal;
import dev.weft.smtp.Reply;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/** Stands where a session does: leases a leg, speaks over it, gives it back. Its methods are for the test's thread. */
final class Caller implements LeaseRequest.Lessee, PooledLeg.User {

    /** "granted", or what a client would be told. */
    final CompletableFuture<String> answer = new CompletableFuture<>();
    final CompletableFuture<Void> closed = new CompletableFuture<>();
    final int loop;
    private final PoolRig rig;
    private final StringBuilder heard = new StringBuilder();
    private final ArrayDeque<CompletableFuture<String>> awaited = new ArrayDeque<>();
    private LeaseRequest request;
    private PooledLeg leg;
    private boolean over;
    /** It gives the leg back as soon as it has a reply. */
    volatile boolean givesBackAtOnce;

    Caller(PoolRig rig, int loop) {
        this.rig = rig;
        this.loop = loop;
    }

    void ask(Route route, boolean fresh) {
        request = new LeaseRequest(rig.pool, rig.loops.get(loop), route, PoolRig.CLIENT, fresh, this);
        request.ask();
    }

    /** On the loop: whatever it has, it has no more. */
    void leave() {
        if (over) {
            return;
        }
        over = true;
        if (leg != null) {
            leg.close(Closing.ABORT);
        } else {
            request.withdraw();
        }
    }

    LegFacts facts() {
        return rig.on(loop, () -> leg.facts());
    }

    /** Says a line and waits for the reply to it. */
    String say(String line) {
        var reply = new CompletableFuture<String>();
        rig.on(loop, () -> {
            awaited.add(reply);
            leg.channel().write(ByteBuffer.wrap((line + "\r\n").getBytes(StandardCharsets.US_ASCII)));
            leg.channel().flush();
            return null;
        });
        return PoolRig.get(reply);
    }

    /** As {@link #say}, over a leg that may be gone. */
    CompletableFuture<String> trySay(String line) {
        var reply = new CompletableFuture<String>();
        rig.on(loop, () -> {
            awaited.add(reply);
            if (!over) {
                leg.channel().write(ByteBuffer.wrap((line + "\r\n").getBytes(StandardCharsets.US_ASCII)));
                leg.channel().flush();
            }
            return null;
        });
        return reply;
    }

    void tryGiveBack(int refusals) {
        rig.on(loop, () -> {
            if (!over) {
                over = true;
                leg.giveBack(new LegFacts.Use(refusals, Duration.ZERO));
            }
            return null;
        });
    }

    void tryClose(Closing how) {
        rig.on(loop, () -> {
            if (!over) {
                over = true;
                leg.close(how);
            }
            return null;
        });
    }

    void giveBack() {
        giveBack(0);
    }

    void giveBack(int refusals) {
        rig.on(loop, () -> {
            over = true;
            leg.giveBack(new LegFacts.Use(refusals, Duration.ZERO));
            return null;
        });
    }

    /** As {@link #giveBack()}, on the loop. */
    void giveBackNow() {
        over = true;
        leg.giveBack(new LegFacts.Use(0, Duration.ZERO));
    }

    void turnedAway(Reply reply) {
        rig.on(loop, () -> {
            leg.turnedAway(reply);
            return null;
        });
    }

    void close(Closing how) {
        rig.on(loop, () -> {
            over = true;
            leg.close(how);
            return null;
        });
    }

    void withdraw() {
        rig.on(loop, () -> {
            leave();
            return null;
        });
    }

    @Override
    public void granted(PooledLeg granted) {
        leg = granted;
        leg.use(this);
        answer.complete("granted");
    }

    @Override
    public void refused(LegRefusal refusal) {
        over = true;
        answer.complete(refusal.reply().toString());
    }

    /** Reads one reply after the other, as a session does, so that the leg can be given back with more behind it. */
    @Override
    public void bytes(ByteBuffer in) {
        while (in.hasRemaining()) {
            heard.append((char) (in.get() & 0xff));
            if (heard.charAt(heard.length() - 1) == '\n') {
                line(heard.toString().strip());
                heard.setLength(0);
            }
        }
    }

    private void line(String line) {
        if (over || line.charAt(3) == '-') {
            return;
        }
        if (awaited.isEmpty()) {
            leave(); // a stray reply
            return;
        }
        var reply = awaited.remove();
        if (givesBackAtOnce) {
            giveBackNow();
        }
        reply.complete(line);
    }

    @Override
    public void closedByServer() {
        closed.complete(null);
        leave();
    }

    @Override
    public void drained() {}

    @Override
    public void flushed() {
        leg.channel().flush();
    }

    @Override
    public void failed(Throwable failure) {
        closed.completeExceptionally(failure);
    }

    @Override
    public void gone() {
        over = true;
    }
}
