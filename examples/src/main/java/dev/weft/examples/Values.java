package dev.weft.examples;

import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The kinds of values that options of the standalone proxy take. */
final class Values {

    private static final BigDecimal MOST_SECONDS = BigDecimal.valueOf(86_400);

    private Values() {}

    /** A name is looked up here, once; {@code *} is every address of this host. */
    static InetSocketAddress address(String option, String value, int lowestPort) throws UsageException {
        int colon = value.lastIndexOf(':');
        if (colon <= 0) {
            throw new UsageException(option + " " + value + ": give HOST:PORT, such as 127.0.0.1:2525, [::1]:2525"
                    + (lowestPort == 0 ? " or *:2525" : " or mx.example.com:25"));
        }
        var host = value.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (host.contains(":") && !bracketed) {
            throw new UsageException(option + " " + value + ": write an IPv6 address in brackets, such as [::1]:2525");
        }
        int port = port(option, value, value.substring(colon + 1), lowestPort);
        if (host.equals("*") && lowestPort == 0) {
            return new InetSocketAddress(port);
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new UsageException(option + " " + value + ": host " + host
                    + " is unknown; give an IP address or a name that resolves");
        }
    }

    private static int port(String option, String value, String digits, int lowest) throws UsageException {
        int port = digits.matches("\\d{1,5}") ? Integer.parseInt(digits) : -1;
        if (port < lowest || port > 65_535) {
            throw new UsageException(option + " " + value + ": give a port from " + lowest + " to 65535");
        }
        return port;
    }

    static int count(String option, String value) throws UsageException {
        if (!value.matches("\\d{1,9}") || Integer.parseInt(value) == 0) {
            throw new UsageException(option + " " + value + ": give a whole number from 1 to 999999999");
        }
        return Integer.parseInt(value);
    }

    static Duration seconds(String option, String value) throws UsageException {
        var seconds = parsedSeconds(value);
        if (seconds == null) {
            throw new UsageException(option + " " + value + ": give seconds from 0 to 86400, such as 30 or 0.5");
        }
        return seconds;
    }

    /** More than none at all. */
    static Duration someSeconds(String option, String value, String digits, Duration most) throws UsageException {
        var seconds = parsedSeconds(digits);
        if (seconds == null || seconds.isZero() || seconds.compareTo(most) > 0) {
            throw new UsageException(option + " " + value + ": give more than 0 seconds and at most " + most.toSeconds()
                    + ", such as 30 or 0.5");
        }
        return seconds;
    }

    private static Duration parsedSeconds(String value) {
        if (value.matches("\\d{1,9}(\\.\\d{1,3})?")) {
            var seconds = new BigDecimal(value);
            if (seconds.compareTo(MOST_SECONDS) <= 0) {
                return Duration.ofMillis(seconds.movePointRight(3).longValueExact());
            }
        }
        return null;
    }

    static <T> T oneOf(String option, String value, List<T> choices, Function<T, String> name) throws UsageException {
        for (var choice : choices) {
            if (name.apply(choice).equals(value)) {
                return choice;
            }
        }
        throw new UsageException(option + " " + value + ": give one of "
                + choices.stream().map(name).collect(Collectors.joining(", ")));
    }
}
