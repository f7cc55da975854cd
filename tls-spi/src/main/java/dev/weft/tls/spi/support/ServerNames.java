package dev.weft.tls.spi.support;

import java.util.List;
import java.util.Optional;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;

/** The names that a client asks for. */
public final class ServerNames {
    private ServerNames() {}

    /** A name that can't be one (an IP address literal, a space) asks for nothing: it is only a hint (RFC 6066 section 3). */
    public static List<SNIServerName> of(Optional<String> serverName) {
        return usable(serverName).<List<SNIServerName>>map(name -> List.of(new SNIHostName(name))).orElse(List.of());
    }

    /** The name as it will be asked for. */
    public static Optional<String> usable(Optional<String> serverName) {
        if (serverName.isEmpty()) {
            return serverName;
        }
        var given = serverName.get();
        var name = given.endsWith(".") ? given.substring(0, given.length() - 1) : given;
        boolean address = name.indexOf(':') >= 0 || name.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9');
        try {
            return address ? Optional.empty() : Optional.of(new SNIHostName(name).getAsciiName());
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
