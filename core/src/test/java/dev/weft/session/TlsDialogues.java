package dev.weft.session;

import static dev.weft.session.Dialogues.GREETED;

import dev.weft.relay.TlsPolicy;
import dev.weft.testkit.Transcript;

/** Beginnings that transcripts about TLS share. The capabilities in clear and inside TLS differ, so that a mix-up shows. */
final class TlsDialogues {

    /** EHLO went to the server, which offers STARTTLS, and is asked for it. */
    static final String STARTTLS_SENT = GREETED + """
            client: EHLO a.example
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250-SIZE 10000
            server: 250-STARTTLS
            server: 250 CHUNKING
            client gets nothing
            server gets: STARTTLS
            """;

    static final String HANDSHAKE = STARTTLS_SENT + """
            server: 220 2.0.0 go ahead
            client gets nothing
            (server TLS is ordered, asking for mx.example.net)
            """;

    static final String EHLO_IN_TLS = """
            server: 250-mx.example.net
            server: 250-SIZE 50000000
            server: 250-AUTH PLAIN
            server: 250-SMTPUTF8
            server: 250-REQUIRETLS
            server: 250 PIPELINING
            """;

    static final String SEEN_FROM_CLEAR = """
            client gets: 250-mx.example.net
            client gets: 250-SIZE 50000000
            client gets: 250-SMTPUTF8
            client gets: 250 PIPELINING
            """;

    /** The server leg is in TLS, the client leg in clear. */
    static final String IN_TLS = HANDSHAKE + """
            (server TLS established)
            client gets nothing
            server gets: EHLO a.example
            """ + EHLO_IN_TLS + SEEN_FROM_CLEAR;

    /** What the client sees where TLS could not be had and is demanded. */
    static final String LEARNT_IN_CLEAR = """
            client gets: 250-mx.example.net
            client gets: 250-SIZE 10000
            client gets: 250 CHUNKING
            """;

    /** A message goes its way. */
    static final String MESSAGE = """
            client: MAIL FROM:<a@example.com>
            server gets: MAIL FROM:<a@example.com>
            server: 250 ok
            client gets: 250 ok
            client: RCPT TO:<b@example.net>
            server gets: RCPT TO:<b@example.net>
            server: 250 ok
            client gets: 250 ok
            client: DATA
            server gets: DATA
            server: 354 go
            client gets: 354 go
            client: hello
            client: .
            server gets: hello
            server gets: .
            server: 250 queued
            client gets: 250 queued
            """;

    /** A new connection without TLS, unseen by the client. */
    static final String CLEAR_AGAIN = """
            server leg: connecting
            client gets nothing
            (server connects)
            server gets nothing
            server: 220 mx.example.net ESMTP
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250-STARTTLS
            server: 250 SIZE 10000
            client gets: 250-mx.example.net
            client gets: 250 SIZE 10000
            """;

    /** A client leg in clear that is shown STARTTLS; the server leg stays in clear. */
    static final String OFFERED = GREETED + """
            client: EHLO a.example
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250-SIZE 10000
            server: 250-STARTTLS
            server: 250 PIPELINING
            client gets: 250-mx.example.net
            client gets: 250-SIZE 10000
            client gets: 250-PIPELINING
            client gets: 250 STARTTLS
            """;

    static final String CLIENT_HANDSHAKES = OFFERED + """
            client: STARTTLS
            client gets: 220 2.0.0 Ready to start TLS
            (client TLS is ordered)
            server gets nothing
            """;

    static final String CLIENT_SECURED = CLIENT_HANDSHAKES + "(client TLS established)\nclient gets nothing\nserver gets nothing\n";

    /** The EHLO behind STARTTLS is answered from memory. */
    static final String KNOWN = """
            client: EHLO a.example
            server gets nothing
            client gets: 250-mx.example.net
            client gets: 250-SIZE 10000
            client gets: 250 PIPELINING
            """;

    static final TlsPolicy[] ALL_WANTED = {TlsPolicy.may(), TlsPolicy.encrypt(), TlsPolicy.verify("mx.example.net")};
    static final TlsPolicy[] DEMANDED = {TlsPolicy.encrypt(), TlsPolicy.verify("mx.example.net")};

    private TlsDialogues() {}

    static Transcript under(TlsPolicy policy, String... parts) {
        return Transcript.of(String.join("", parts)).route(route -> route.withTls(policy));
    }

    /** A client leg in clear that is offered STARTTLS; the server leg stays in clear. */
    static Transcript offered(String... parts) {
        return Transcript.of(String.join("", parts)).clientIsOffered(Arrival.TlsOffer.OFFERED);
    }
}
