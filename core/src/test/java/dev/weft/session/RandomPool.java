package dev.weft.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A pool of legs that holds a session to the rules: it asks for one leg at a time, writes to none that it does not have, and
 * leaves none to others that is not between transactions.
 */
final class RandomPool {

    private final Random random;
    private final List<PooledServer> idle = new ArrayList<>();
    final List<PooledServer> all = new ArrayList<>();
    /** The leg that is leased, or null. */
    PooledServer leased;
    boolean asked;
    private boolean fresh;
    int generation;
    private int requests;
    private int ends;

    RandomPool(Random random) {
        this.random = random;
    }

    static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    void ask(int legGeneration, boolean onlyNew) {
        require(leased == null && !asked, "a lease was asked for while there is one");
        require(legGeneration > generation, "an old generation");
        generation = legGeneration;
        fresh = onlyNew;
        asked = true;
        requests++;
    }

    /** Grants the lease, of a leg that served others if there is one. */
    void grant() {
        asked = false;
        if (!fresh && !idle.isEmpty() && random.nextInt(4) > 0) {
            leased = idle.remove(random.nextInt(idle.size()));
            leased.transactions++;
            leased.age();
        } else {
            leased = new PooledServer(random);
            all.add(leased);
        }
    }

    void refuse() {
        asked = false;
        ends++;
    }

    void giveBack(boolean inTransit) {
        require(leased != null, "a leg was given back that was not leased");
        require(leased.busy().isEmpty(), "a leg was given back though " + leased.busy());
        require(!inTransit, "a leg was given back in the midst of what it says or is told");
        if (leased.reusable()) {
            idle.add(leased);
        }
        leased = null;
        ends++;
    }

    /** A leg is closed, or a request withdrawn. */
    void close() {
        require(leased != null || asked, "a leg was closed that is not there");
        leased = null;
        asked = false;
        ends++;
    }

    void checkEnded() {
        require(leased == null && !asked, "the session ended and left a lease");
        require(requests == ends, requests + " leases were asked for, " + ends + " ended");
    }
}
