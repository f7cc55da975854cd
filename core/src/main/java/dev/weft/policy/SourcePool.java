package dev.weft.policy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;

/**
 * Addresses that may stand in for each other. Each tenant has one of them at a destination and keeps it, so that a server sees
 * the same tenant come from the same address: the choice depends on the names only, follows the weights over many tenants, and
 * when an address is added or taken away only those change that gain or lose it.
 *
 * @param name for replies and logs: 1 to 64 printable ASCII characters without blanks
 * @param addresses one or more, of either family, each once
 */
public record SourcePool(String name, List<SourceAddress> addresses) {

    /**
     * Checks the parts and takes a copy.
     *
     * @param name for replies and logs
     * @param addresses one or more, each once
     * @throws IllegalArgumentException if the name can't be shown, there is no address, or one is there twice
     */
    public SourcePool {
        if (!name.matches("[\\x21-\\x7e]{1,64}")) {
            throw new IllegalArgumentException("pool name \"" + StateLines.escape(name)
                    + "\": give 1 to 64 printable ASCII characters, no blanks");
        }
        addresses = List.copyOf(addresses);
        var seen = new HashSet<InetAddress>();
        addresses.stream().map(SourceAddress::address).filter(address -> !seen.add(address)).forEach(twice -> {
            throw new IllegalArgumentException("pool " + name + " has " + twice.getHostAddress()
                    + " twice: give it once, with a higher weight");
        });
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("pool " + name + " has no address: give at least one");
        }
    }

    /**
     * A pool.
     *
     * @param name for replies and logs
     * @param addresses one or more, each once
     * @return the pool
     * @throws IllegalArgumentException as the constructor
     */
    public static SourcePool of(String name, SourceAddress... addresses) {
        return new SourcePool(name, List.of(addresses));
    }

    /** Those of a family, the one that is meant for this tenant and destination first (weighted rendezvous hashing). */
    List<SourceAddress> inOrder(Class<?> family, String tenant, String destination) {
        record Scored(SourceAddress source, double score) {}
        long key = hash(hash(0xcbf29ce484222325L, tenant) ^ 0x5c, destination);
        var scored = new ArrayList<Scored>(addresses.size());
        for (var source : addresses) {
            if (family.isInstance(source.address())) {
                // 53 bits above zero and below one; -ln of it is a waiting time, and the weight its pace
                double random = ((mix(hash(key, source.address().getHostAddress())) >>> 11) + 0.5) * 0x1p-53;
                scored.add(new Scored(source, -Math.log(random) / source.weight()));
            }
        }
        scored.sort(Comparator.comparingDouble(Scored::score));
        return scored.stream().map(Scored::source).toList();
    }

    /** FNV-1a: the same in every run, so that a restart moves nobody. */
    private static long hash(long from, String text) {
        long hash = from;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }

    /** Spreads the last characters' few bits over all (the finishing step of SplitMix64). */
    private static long mix(long hash) {
        long mixed = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
