package dev.weft.session;

import dev.weft.relay.Binding;
import dev.weft.testkit.Transcript;

/** Pieces of transcripts of sessions that are bound on mail. */
final class OnMailDialogues {

    static final String GREETED = """
            client gets: 220 localhost ESMTP
            client: EHLO a.example
            (offer is asked)
            (offer is known)
            client gets: 250-localhost
            client gets: 250-PIPELINING
            client gets: 250-SIZE 1000000
            client gets: 250-8BITMIME
            client gets: 250-CHUNKING
            client gets: 250 DSN
            """;

    static final String ENVELOPE = """
            client: MAIL FROM:<a@example.com>
            (a lease is asked)
            (lease granted)
            client gets: 250 2.1.0 Sender ok
            server gets nothing
            client: RCPT TO:<b@example.net>
            server gets: MAIL FROM:<a@example.com>
            server gets: RCPT TO:<b@example.net>
            server: 250 sender
            client gets nothing
            server: 250 b
            client gets: 250 b
            """;

    static final String MESSAGE = """
            client: DATA
            server gets: DATA
            server: 354 go on
            client gets: 354 go on
            client: Subject: x
            client: .
            server gets: Subject: x
            server gets: .
            server: 250 queued
            client gets: 250 queued
            server leg: given back
            """;

    static final String QUIT = """
            client: QUIT
            client gets: 221 2.0.0 Bye
            client leg: lingers
            (session ended)
            """;

    private OnMailDialogues() {}

    static Transcript onMail(String... parts) {
        var text = new StringBuilder();
        for (var part : parts) {
            text.append(part.strip()).append('\n');
        }
        return Transcript.of(text.toString()).route(route -> route.withBinding(Binding.ON_MAIL));
    }
}
