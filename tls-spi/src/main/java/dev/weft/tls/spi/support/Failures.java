package dev.weft.tls.spi.support;

import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsFailure.Kind;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Makes one clean line of what the engines throw: some of it has several lines, and addresses of memory. */
final class Failures {
    private static final Pattern JDK_ALERT = Pattern.compile("Received fatal alert: (\\w+)");
    private static final Pattern BORING_ALERT = Pattern.compile("(?:SSLV3|TLSV1|TLSV13)_ALERT_(\\w+)");
    private static final Pattern BORING_REASON = Pattern.compile("error:[0-9a-fA-F]+:SSL routines:[^:]*:(\\w+)");
    private static final Pattern ADDRESS = Pattern.compile("(?:ssl=)?0x[0-9a-fA-F]+:? ?");

    private Failures() {}

    static TlsFailure of(Throwable thrown) {
        var message = message(thrown);
        var alert = JDK_ALERT.matcher(message);
        if (alert.find()) {
            return new TlsFailure(Kind.ALERT_FROM_PEER, alert.group(1));
        }
        alert = BORING_ALERT.matcher(message);
        if (alert.find()) {
            return new TlsFailure(Kind.ALERT_FROM_PEER, alert.group(1).toLowerCase(Locale.ROOT));
        }
        return new TlsFailure(thrown instanceof SSLException ? Kind.PROTOCOL : Kind.ENGINE, clean(message));
    }

    private static String message(Throwable thrown) {
        var text = new StringBuilder();
        for (var t = thrown; t != null; t = t.getCause()) {
            if (t.getMessage() != null && text.indexOf(t.getMessage()) < 0) {
                text.append(text.isEmpty() ? "" : ": ").append(t.getMessage());
            }
        }
        return text.isEmpty() ? thrown.getClass().getSimpleName() : text.toString();
    }

    private static String clean(String message) {
        var boring = BORING_REASON.matcher(message);
        var text = boring.find() ? boring.group(1).toLowerCase(Locale.ROOT) : ADDRESS.matcher(message).replaceAll("");
        return text;
    }
}
