package dev.weft.intercept;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/**
 * A range of IP addresses, such as {@code 10.0.0.0/8}. IPv4-mapped IPv6 addresses count as IPv4, on both sides of a comparison.
 *
 * @param address the first address of the range: all bits beyond the prefix are zero
 * @param prefix the number of leading bits that all members share
 */
public record Network(InetAddress address, int prefix) {

    /**
     * Checks the range.
     *
     * @param address the first address of the range
     * @param prefix the number of leading bits that all members share; counted from the IPv6 start if the address is IPv4-mapped
     * @throws IllegalArgumentException if the prefix is too long for the address, or the address has bits set beyond it
     */
    public Network {
        if (address instanceof Inet6Address && Addresses.isMapped(address.getAddress())) {
            if (prefix < 96) {
                throw new IllegalArgumentException("network " + address.getHostAddress() + "/" + prefix
                        + " mixes IPv4 and IPv6; write the IPv4 network and the IPv6 network separately");
            }
            prefix -= 96;
        }
        var bytes = Addresses.of(address.getAddress()).getAddress();
        if (prefix < 0 || prefix > 8 * bytes.length) {
            throw new IllegalArgumentException("network " + address.getHostAddress() + "/" + prefix
                    + " needs a prefix between 0 and " + 8 * bytes.length);
        }
        var masked = masked(bytes, prefix);
        if (!Arrays.equals(bytes, masked)) {
            throw new IllegalArgumentException("network " + address.getHostAddress() + "/" + prefix
                    + " has bits set beyond its prefix; write " + Addresses.of(masked).getHostAddress() + "/" + prefix
                    + " for the range, or leave the prefix away for the one address");
        }
        address = Addresses.of(bytes); // drops a host name and a zone, so that equal ranges are equal
    }

    /**
     * Reads {@code address/prefix}, or a lone address, which is the range of just that one. Literals only: nothing is looked up.
     *
     * @param text such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or {@code ::1}
     * @return the range
     * @throws IllegalArgumentException if the text is no range, with the text and the reason
     */
    public static Network parse(String text) {
        int slash = text.indexOf('/');
        var bytes = Addresses.bytes(slash < 0 ? text : text.substring(0, slash)).orElseThrow(() -> new IllegalArgumentException(
                "network \"" + text + "\" has no IP address before its prefix; write it like 10.0.0.0/8, 2001:db8::/32 or ::1"));
        int prefix = 8 * bytes.length;
        if (slash >= 0) {
            prefix = Addresses.number(text.substring(slash + 1), 8 * bytes.length);
            if (prefix < 0) {
                throw new IllegalArgumentException("network \"" + text + "\" needs a prefix between 0 and " + 8 * bytes.length
                        + " behind the slash");
            }
        }
        if (Addresses.isMapped(bytes)) {
            if (prefix < 96) {
                throw new IllegalArgumentException("network \"" + text
                        + "\" mixes IPv4 and IPv6; write the IPv4 network and the IPv6 network separately");
            }
            prefix -= 96;
        }
        return new Network(Addresses.of(bytes), prefix);
    }

    /**
     * Whether an address belongs to the range.
     *
     * @param candidate the address
     * @return true if it is of the same family and shares the prefix
     */
    public boolean contains(InetAddress candidate) {
        var other = Addresses.unmapped(candidate).getAddress();
        var own = address.getAddress();
        return own.length == other.length && Arrays.equals(own, masked(other, prefix));
    }

    /**
     * The range as {@link #parse} reads it.
     *
     * @return address, slash, prefix
     */
    @Override
    public String toString() {
        return address.getHostAddress() + "/" + prefix;
    }

    private static byte[] masked(byte[] bytes, int prefix) {
        var masked = new byte[bytes.length];
        System.arraycopy(bytes, 0, masked, 0, prefix / 8);
        if (prefix % 8 != 0) {
            masked[prefix / 8] = (byte) (bytes[prefix / 8] & 0xff00 >> prefix % 8);
        }
        return masked;
    }
}
