package dev.weft.tls.spi;

import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The names that a certificate is for, and whether one of them is a given one (RFC 9525 section 6).
 *
 * @param dnsNames DNS-IDs, lower case
 * @param addresses IP addresses in Java's own spelling
 */
record CertificateNames(List<String> dnsNames, List<String> addresses) {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;
    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    /** Of what has a colon and begins like this Java says that it is no address; of anything else it would ask the resolver. */
    private static final Pattern LITERAL =
            Pattern.compile(OCTET + "(\\." + OCTET + "){3}|(?=[^:]*:)[0-9A-Fa-f:][0-9A-Fa-f:.]*");

    static CertificateNames of(X509Certificate certificate) {
        var dnsNames = new ArrayList<String>();
        var addresses = new ArrayList<String>();
        try {
            var names = certificate.getSubjectAlternativeNames();
            if (names != null) {
                for (var name : names) {
                    if (name.get(1) instanceof String text && name.get(0) instanceof Integer kind) {
                        if (kind == DNS_NAME) {
                            dnsNames.add(OneLine.printable(text).toLowerCase(Locale.ROOT));
                        } else if (kind == IP_ADDRESS) {
                            address(text).ifPresent(addresses::add);
                        }
                    }
                }
            }
        } catch (CertificateParsingException e) {
            return new CertificateNames(List.of(), List.of()); // names that can't be read match nothing
        }
        return new CertificateNames(List.copyOf(dnsNames), List.copyOf(addresses));
    }

    List<String> all() {
        var all = new ArrayList<>(dnsNames);
        all.addAll(addresses);
        return all;
    }

    Optional<String> firstMatched(Collection<String> wanted) {
        return wanted.stream().filter(this::matches).findFirst();
    }

    private boolean matches(String wanted) {
        var address = address(wanted);
        if (address.isPresent()) {
            return addresses.contains(address.get());
        }
        var host = hostName(wanted);
        return host.isPresent() && dnsNames.stream().anyMatch(name -> matches(name, host.get()));
    }

    /** A name with {@code *} anywhere but as the whole first label is compared as it stands, so it matches nothing. */
    private static boolean matches(String pattern, String host) {
        if (!pattern.startsWith("*.")) {
            return pattern.equals(host);
        }
        int dot = host.indexOf('.');
        var rest = pattern.substring(1);
        // "*.com" vouches for nobody in particular.
        return dot > 0 && rest.indexOf('.', 1) > 0 && host.substring(dot).equals(rest);
    }

    private static Optional<String> hostName(String wanted) {
        try {
            var name = IDN.toASCII(wanted).toLowerCase(Locale.ROOT);
            return Optional.of(name.endsWith(".") ? name.substring(0, name.length() - 1) : name)
                    .filter(host -> !host.isEmpty() && host.indexOf('*') < 0);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> address(String text) {
        var bare = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        if (!looksLiteral(bare)) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(bare).getHostAddress()); // a literal: nobody is asked
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Names come from clients, too (SNI), and are asked about on event loops: no other name may reach the resolver. */
    static boolean looksLiteral(String text) {
        return LITERAL.matcher(text).matches();
    }
}
