package dev.weft.examples;

import dev.weft.relay.LegTls;
import dev.weft.relay.Notice;
import dev.weft.relay.Recipient;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord;
import dev.weft.relay.Stage;
import dev.weft.relay.TransactionRecord;
import dev.weft.smtp.Command;
import dev.weft.smtp.EnhancedCode;
import dev.weft.smtp.Reply;
import dev.weft.tls.spi.PeerVerdict;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** How Weft's values look in the event log. */
final class EventJson {

    private EventJson() {}

    static void transaction(JsonObject json, InetSocketAddress destination, TransactionRecord transaction) {
        json.put("number", transaction.number())
                .put("destination", address(destination))
                .put("server", address(transaction.route().server()))
                .put("source", transaction.source().map(EventJson::address).orElse(null))
                .put("reused", transaction.reused())
                .put("waited_ms", transaction.waited().orElse(null))
                .put("sender", transaction.sender().text())
                .put("mail", transaction.mail().text())
                .putObjects("recipients", transaction.recipients().stream().map(EventJson::recipient).toList())
                .put("recipient_count", transaction.recipientCount())
                .put("message_bytes", transaction.messageBytes())
                .put("outcome", name(transaction.outcome()))
                .put("reply", transaction.reply().map(EventJson::reply).orElse(null))
                .put("stages_ms", stages(transaction.stages()));
    }

    static void notice(JsonObject json, Notice notice) {
        json.put("kind", name(notice.kind()))
                .put("detail", notice.detail())
                .put("server", notice.server().map(EventJson::address).orElse(null))
                .put("source", notice.source().map(EventJson::ip).orElse(null))
                .put("reply", notice.reply().map(EventJson::reply).orElse(null))
                .put("stage", notice.stage().map(EventJson::name).orElse(null));
    }

    static void session(JsonObject json, SessionRecord session) {
        json.put("destination", address(session.originalDestination()))
                .put("server", session.route().map(Route::server).map(EventJson::address).orElse(null))
                .put("source", session.source().map(EventJson::address).orElse(null))
                .put("transactions", session.transactions())
                .put("bytes_from_client", session.bytesFromClient())
                .put("bytes_from_server", session.bytesFromServer())
                .put("client_tls", session.clientTls().map(EventJson::tls).orElse(null))
                .put("server_tls", session.serverTls().map(EventJson::tls).orElse(null))
                .put("tls_failure", session.tlsFailure().orElse(null));
        if (session.passedThrough()) {
            json.put("tls_passed_through", true);
        }
        json
                .put("duration_ms", session.duration())
                .put("end", name(session.end()))
                .put("detail", session.detail().isEmpty() ? null : session.detail())
                .put("stages_ms", stages(session.stages()));
    }

    /** The peer's standing is left out where it showed no certificate, as clients mostly do. */
    static JsonObject tls(LegTls tls) {
        var facts = tls.facts();
        return new JsonObject()
                .put("version", facts.version().standardName())
                .put("cipher", facts.cipherSuite())
                .put("resumed", facts.resumed())
                .put("server_name", facts.serverName().orElse(null))
                .put("peer", tls.peer().presented() ? peer(tls.peer()) : null);
    }

    private static JsonObject peer(PeerVerdict peer) {
        return new JsonObject()
                .put("trusted", peer.trusted())
                .put("expired", peer.expired())
                .put("self_signed", peer.selfSigned())
                .putStrings("names", peer.names())
                .put("matched", peer.matched().orElse(null))
                .put("detail", peer.detail().isEmpty() ? null : peer.detail());
    }

    static JsonObject reply(Reply reply) {
        return new JsonObject()
                .put("code", reply.code())
                .put("enhanced", reply.enhancedCode().map(EnhancedCode::toString).orElse(null))
                .putStrings("lines", reply.lines());
    }

    private static JsonObject recipient(Recipient recipient) {
        return new JsonObject()
                .put("path", recipient.path().text())
                .put("accepted", recipient.accepted())
                .put("reply", recipient.reply().map(EventJson::reply).orElse(null));
    }

    private static JsonObject stages(Map<Stage, Duration> stages) {
        var json = new JsonObject();
        for (var stage : Stage.values()) {
            var time = stages.get(stage);
            if (time != null) {
                json.put(name(stage), time);
            }
        }
        return json;
    }

    static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static String verb(Command command) {
        return command.verbText().toUpperCase(Locale.ROOT);
    }

    /** Address and port as an option would take them, without a lookup of the name. */
    static String address(InetSocketAddress address) {
        var ip = address.getAddress();
        if (ip == null) {
            return address.getHostString() + ":" + address.getPort();
        }
        return (ip instanceof Inet6Address six ? "[" + text(six) + "]" : ip.getHostAddress()) + ":" + address.getPort();
    }

    private static String ip(InetAddress ip) {
        return ip instanceof Inet6Address six ? text(six) : ip.getHostAddress();
    }

    /** RFC 5952 §4: the longest run of at least two zero groups, the first of equals, becomes {@code ::}. */
    private static String text(Inet6Address ip) {
        var groups = ByteBuffer.wrap(ip.getAddress()).asCharBuffer();
        int start = -1;
        int length = 1;
        for (int i = 0, run = 0; i < 8; i++) {
            run = groups.get(i) == 0 ? run + 1 : 0;
            if (run > length) {
                length = run;
                start = i + 1 - run;
            }
        }
        var text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
            if (i == start) {
                text.append("::");
                i += length - 1;
            } else {
                text.append(i == 0 || text.charAt(text.length() - 1) == ':' ? "" : ":")
                        .append(Integer.toHexString(groups.get(i)));
            }
        }
        return text.toString();
    }
}
