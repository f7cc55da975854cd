package dev.weft.relay;

import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * Whom fairness counts by: by default the client's address. Two tenants of one name are the same one; the latest weight counts.
 *
 * @param name 1 to 255 characters without control characters
 * @param weight the share beside others: a tenant of weight 2 is due twice what one of weight 1 is; 0.001 to 1000
 */
public record Tenant(String name, double weight) {

    private static final double LEAST_WEIGHT = 0.001;
    private static final double MOST_WEIGHT = 1000;
    private static final int LONGEST_NAME = 255;

    /**
     * Checks the ranges.
     *
     * @param name 1 to 255 characters without control characters
     * @param weight 0.001 to 1000
     * @throws IllegalArgumentException if a value is out of its range
     */
    public Tenant {
        if (name.isBlank() || name.length() > LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("tenant name \"" + name.replaceAll("\\p{Cntrl}", "?")
                    + "\": give 1 to " + LONGEST_NAME + " characters, not all blank, no control characters");
        }
        if (!(weight >= LEAST_WEIGHT && weight <= MOST_WEIGHT)) {
            throw new IllegalArgumentException("weight " + weight + " of tenant \"" + name + "\": give " + LEAST_WEIGHT + " to "
                    + MOST_WEIGHT + ", 1 for an ordinary share");
        }
    }

    /**
     * A tenant with an ordinary share.
     *
     * @param name as {@link #name()}
     * @return the tenant, of weight 1
     * @throws IllegalArgumentException if the name is out of its range
     */
    public static Tenant of(String name) {
        return new Tenant(name, 1);
    }

    /**
     * The tenant that a client is by default. In IPv6 it is the network, since whoever has a /64 has all of its addresses.
     *
     * @param client the client's address
     * @return named by the IPv4 address, or by the /64 of the IPv6 address, such as {@code 2001:db8:0:1::/64}; of weight 1
     */
    public static Tenant of(InetAddress client) {
        if (client instanceof Inet4Address) {
            return of(client.getHostAddress());
        }
        byte[] octets = client.getAddress();
        var name = new StringBuilder();
        for (int i = 0; i < 8; i += 2) {
            name.append(Integer.toHexString((octets[i] & 0xff) << 8 | octets[i + 1] & 0xff)).append(':');
        }
        return of(name.append(":/64").toString());
    }

    /**
     * The same tenant with another share.
     *
     * @param other as {@link #weight()}
     * @return the changed copy
     * @throws IllegalArgumentException if the weight is out of its range
     */
    public Tenant withWeight(double other) {
        return new Tenant(name, other);
    }
}
