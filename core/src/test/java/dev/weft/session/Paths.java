package dev.weft.session;

import dev.weft.relay.FailureMode;
import dev.weft.relay.MessageJudge;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Header;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

/** Handlers that choose a message path, and what transcripts with them begin with. */
final class Paths {

    /** EHLO is answered to a client whose messages are looked at. */
    static final String OPEN = Dialogues.OPEN
            .replace("client gets: 250-AUTH PLAIN LOGIN\n", "client gets: 250 AUTH PLAIN LOGIN\n")
            .replace("client gets: 250 CHUNKING\n", "");

    static final String ENVELOPE = Dialogues.ENVELOPE.replace(Dialogues.OPEN, OPEN);

    /** The server said 354. */
    static final String DATA = Dialogues.DATA.replace(Dialogues.OPEN, OPEN);

    /** The proxy said 354, and the server knows of nothing. */
    static final String HELD = ENVELOPE + """
            client: DATA
            server gets nothing
            client gets: 354 Send the message, end it with <CRLF>.<CRLF>
            """;

    /** The next message passes over a fresh leg. */
    static final String NEXT_OVER_FRESH_LEG = """
            client: MAIL FROM:<c@example.com>
            client: RCPT TO:<d@example.net>
            """ + Dialogues.FRESH_LEG + """
            server gets: MAIL FROM:<c@example.com>
            server gets: RCPT TO:<d@example.net>
            server: 250 1
            server: 250 2
            client gets: 250 1
            client gets: 250 2
            """;

    private Paths() {}

    static RelayHandler choosing(MessageUse use, Supplier<MessagePath> path) {
        return choosing(use, FailureMode.TEMPFAIL, path);
    }

    static RelayHandler choosing(MessageUse use, FailureMode mode, Supplier<MessagePath> path) {
        return new RelayHandler() {
            @Override
            public MessageUse messageUse(RelaySession session) {
                return use;
            }

            @Override
            public MessagePath message(Transaction transaction) {
                return path.get();
            }

            @Override
            public FailureMode failureMode() {
                return mode;
            }
        };
    }

    static RelayHandler holding(MessageJudge judge) {
        return choosing(MessageUse.replace(), () -> MessagePath.hold(judge));
    }

    static RelayHandler adding(Header... headers) {
        return choosing(MessageUse.grow(1000), () -> MessagePath.stream().prepending(headers));
    }

    static RelayHandler reading(Reading reader) {
        return choosing(MessageUse.look(), () -> MessagePath.holdTheDot(reader));
    }


    /** Keeps what it reads. */
    static class Reading implements MessageReader {
        final ByteArrayOutputStream seen = new ByteArrayOutputStream();

        @Override
        public void read(ByteBuffer piece) {
            var octets = new byte[piece.remaining()];
            piece.get(octets);
            seen.writeBytes(octets);
        }

        String text() {
            return seen.toString(StandardCharsets.ISO_8859_1);
        }

        @Override
        public Verdict<Void> end() {
            return Verdict.proceed();
        }
    }
}
