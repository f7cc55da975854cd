package dev.weft.testkit;

import dev.weft.relay.LegTls;
import dev.weft.session.Leg;
import dev.weft.session.SmtpSession;
import dev.weft.tls.spi.PeerVerdict;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsVersion;
import java.util.List;
import java.util.Optional;

/** The steps of a transcript that are about TLS: there is no engine, only what one would tell. */
final class ReplayTls {

    private static final String NAME = "mx.example.net";

    private final ReplayPort port;
    private final SmtpSession session;

    ReplayTls(ReplayPort port, SmtpSession session) {
        this.port = port;
        this.session = session;
    }

    /** The TLS of a client that showed no certificate. */
    static LegTls ofClient() {
        return new LegTls(
                facts(Optional.empty()), new PeerVerdict(false, false, false, false, "no certificate", List.of(), Optional.empty()));
    }

    static LegTls ofServer(String asked, boolean trusted, boolean matches) {
        var names = List.of(matches ? NAME : "other.example.org");
        var verdict = new PeerVerdict(true, trusted, false, !trusted, trusted ? "" : "self-signed", names,
                matches ? Optional.of(NAME) : Optional.empty());
        return new LegTls(facts(Optional.of(asked).filter(name -> !name.equals("no name"))), verdict);
    }

    private static TlsFacts facts(Optional<String> serverName) {
        return new TlsFacts(TlsVersion.TLS_1_3, "TLS_AES_128_GCM_SHA256", List.of(), serverName, false);
    }

    /** Takes an event; false if it is none of TLS. */
    boolean event(String name, String argument) {
        switch (name) {
            case "no TLS is ordered" -> {
                for (var leg : Leg.values()) {
                    ReplayPort.require(port.leg(leg).handshake == null, "TLS is ordered on the " + ReplayPort.name(leg) + " leg");
                }
            }
            case "client TLS is ordered" -> ReplayPort.require(port.leg(Leg.CLIENT).handshake != null, "no TLS is ordered on the client leg");
            case "server TLS established" -> serverSecured(true, true);
            case "server TLS established with a certificate for other names" -> serverSecured(true, false);
            case "server TLS established with a certificate that is not trusted" -> serverSecured(false, true);
            case "server TLS fails" -> {
                port.answerHandshake(Leg.SERVER, false);
                port.input(() -> session.serverTlsFailed(port.generation(), argument));
            }
            case "client TLS established" -> {
                port.answerHandshake(Leg.CLIENT, true);
                port.input(() -> session.clientSecured(ofClient()));
            }
            case "client TLS fails" -> {
                port.answerHandshake(Leg.CLIENT, false);
                port.input(() -> session.clientTlsFailed(argument));
            }
            case "server TLS is remembered as broken" -> ReplayPort.require(port.tlsBroken(), "it is not remembered");
            case "server TLS is not remembered as broken" -> ReplayPort.require(!port.tlsBroken(), "it is remembered");
            default -> {
                if (!name.startsWith("server TLS is ordered, asking for ")) {
                    return false;
                }
                var asked = port.leg(Leg.SERVER).handshake;
                ReplayPort.require(asked != null, "no TLS is ordered on the server leg");
                ReplayPort.require(name.endsWith(" for " + asked), "server TLS is ordered, asking for " + asked);
            }
        }
        return true;
    }

    private void serverSecured(boolean trusted, boolean matches) {
        var asked = port.leg(Leg.SERVER).handshake;
        port.answerHandshake(Leg.SERVER, true);
        port.input(() -> session.serverSecured(port.generation(), ofServer(asked, trusted, matches)));
    }
}
