package dev.weft.session;

import dev.weft.testkit.Transcript;

/** Beginnings that many transcripts share. */
final class Dialogues {

    static final String GREETED = """
            (server connects)
            server: 220 mx.example.net ESMTP
            client gets: 220 mx.example.net ESMTP
            """;

    /** EHLO is answered; the server pipelines and takes chunks. */
    static final String OPEN = GREETED + """
            client: EHLO a.example
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250-PIPELINING
            server: 250-SIZE 1000000
            server: 250-AUTH PLAIN LOGIN
            server: 250 CHUNKING
            client gets: 250-mx.example.net
            client gets: 250-PIPELINING
            client gets: 250-SIZE 1000000
            client gets: 250-AUTH PLAIN LOGIN
            client gets: 250 CHUNKING
            """;

    /** EHLO is answered; the server takes one command at a time. */
    static final String SERIAL = GREETED + """
            client: EHLO a.example
            server gets: EHLO a.example
            server: 250 mx.example.net
            client gets: 250 mx.example.net
            """;

    /** One recipient is accepted. */
    static final String ENVELOPE = OPEN + """
            client: MAIL FROM:<a@example.com>
            client: RCPT TO:<b@example.net>
            server gets: MAIL FROM:<a@example.com>
            server gets: RCPT TO:<b@example.net>
            server: 250 2.1.0 Ok
            server: 250 2.1.5 Ok
            client gets: 250 2.1.0 Ok
            client gets: 250 2.1.5 Ok
            """;

    /** The message may come. */
    static final String DATA = ENVELOPE + """
            client: DATA
            server gets: DATA
            server: 354 go on
            client gets: 354 go on
            """;

    /** The next message may come, with one recipient, over the leg that is there. */
    static final String NEXT_ENVELOPE = """
            client: MAIL FROM:<c@example.com>
            client: RCPT TO:<d@example.net>
            server gets: MAIL FROM:<c@example.com>
            server gets: RCPT TO:<d@example.net>
            server: 250 2.1.0 Ok
            server: 250 2.1.5 Ok
            client gets: 250 2.1.0 Ok
            client gets: 250 2.1.5 Ok
            """;

    /** A fresh leg greets and answers EHLO as the first one did, unseen by the client, and then gets the MAIL that was sent. */
    static final String FRESH_LEG = """
            (server connects)
            server gets nothing
            server: 220 mx.example.net ESMTP
            server gets: EHLO a.example
            server: 250-mx.example.net
            server: 250-PIPELINING
            server: 250-SIZE 1000000
            server: 250-AUTH PLAIN LOGIN
            server: 250 CHUNKING
            client gets nothing
            """;

    static final String QUIT = """
            client: QUIT
            server gets: QUIT
            server: 221 2.0.0 Bye
            client gets: 221 2.0.0 Bye
            client leg: lingers
            server leg: awaits peer
            (session ended)
            """;

    private Dialogues() {}

    static Transcript transcript(String... parts) {
        return Transcript.of(String.join("", parts));
    }
}
