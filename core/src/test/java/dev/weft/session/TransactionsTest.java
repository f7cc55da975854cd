package dev.weft.session;

import static dev.weft.session.Dialogues.DATA;
import static dev.weft.session.Dialogues.ENVELOPE;
import static dev.weft.session.Dialogues.NEXT_ENVELOPE;
import static dev.weft.session.Dialogues.OPEN;
import static dev.weft.session.Dialogues.QUIT;
import static dev.weft.session.Dialogues.transcript;

import org.junit.jupiter.api.Test;

class TransactionsTest {

    private static final String MESSAGE = """
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
            """;

    @Test
    void severalMessagesOfASessionAreKeptApart() {
        transcript(ENVELOPE, MESSAGE, NEXT_ENVELOPE, MESSAGE, """
                client: MAIL FROM:<>
                server gets: MAIL FROM:<>
                server: 250 ok
                client gets: 250 ok
                client: RSET
                server gets: RSET
                server: 250 reset
                client gets: 250 reset
                """, QUIT).records("transaction session", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 12 octets ACCEPTED 250 queued
                        transaction 2 <c@example.com> to <d@example.net>=250 : 12 octets ACCEPTED 250 queued
                        transaction 3 <> to  : 0 octets ABANDONED
                        session QUIT 3""").replayEveryWay();
    }

    @Test
    void nestedMailThatTheServerRefusesChangesNothing() {
        transcript(ENVELOPE, """
                client: MAIL FROM:<evil@example.com>
                client: RCPT TO:<c@example.net>
                client: DATA
                server gets: MAIL FROM:<evil@example.com>
                server gets: RCPT TO:<c@example.net>
                server gets: DATA
                server: 503 nested
                server: 250 c
                server: 354 go on
                client gets: 503 nested
                client gets: 250 c
                client gets: 354 go on
                client: x
                client: .
                server gets: x
                server gets: .
                server: 250 queued
                client gets: 250 queued
                """, QUIT).records("transaction session", """
                        transaction 2 <evil@example.com> to  : 0 octets REFUSED 503 nested
                        transaction 1 <a@example.com> to <b@example.net>=250 <c@example.net>=250 : 3 octets ACCEPTED 250 queued
                        session QUIT 2""").replayEveryWay();
    }

    @Test
    void newEhloEndsTheTransaction() {
        transcript(ENVELOPE, """
                client: EHLO b.example
                server gets: EHLO b.example
                server: 250-mx
                server: 250 PIPELINING
                client gets: 250-mx
                client gets: 250 PIPELINING
                """, NEXT_ENVELOPE, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED""").replayEveryWay();
    }

    @Test
    void rsetAndTheNextMailMayBePipelined() {
        transcript(ENVELOPE, """
                client: RSET
                client: MAIL FROM:<c@example.com>
                client: RCPT TO:<d@example.net>
                server gets: RSET
                server gets: MAIL FROM:<c@example.com>
                server gets: RCPT TO:<d@example.net>
                server: 250 1
                server: 250 2
                server: 250 3
                client gets: 250 1
                client gets: 250 2
                client gets: 250 3
                """, MESSAGE, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                        transaction 2 <c@example.com> to <d@example.net>=250 : 12 octets ACCEPTED 250 queued""").replayEveryWay();
    }

    @Test
    void nextTransactionMayBePipelinedBehindTheMessage() {
        transcript(DATA, """
                client: x
                client: .
                client: RCPT TO:<stray@example.net>
                client: MAIL FROM:<c@example.com>
                client: RCPT TO:<d@example.net>
                client: QUIT
                server gets: x
                server gets: .
                server gets: RCPT TO:<stray@example.net>
                server gets: MAIL FROM:<c@example.com>
                server gets: RCPT TO:<d@example.net>
                server gets: QUIT
                server: 250 queued
                server: 503 no mail
                server: 250 c
                server: 250 d
                server: 221 bye
                client gets: 250 queued
                client gets: 503 no mail
                client gets: 250 c
                client gets: 250 d
                client gets: 221 bye
                """).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 3 octets ACCEPTED 250 queued
                        transaction 2 <c@example.com> to <d@example.net>=250 : 0 octets ABANDONED""").replayEveryWay();
    }

    @Test
    void oddEnvelopesPassByteForByteAndAreParsed() {
        transcript(OPEN, """
                client: mail from: <"a b"@example.com> BODY=8BITMIME  SIZE=10 X\\s
                client: Rcpt To:b@[192.0.2.1]
                client: rcpt to :<c@example.net>
                client: RCPT TO:<@a.example,@b.example:d@example.net> NOTIFY=NEVER ORCPT=rfc822;x+20y
                client: RCPT\\tTO:<e..f@example.net.>
                client: RCPT TO:<\\xc3\\xa4@example.net> \\xff
                server gets: mail from: <"a b"@example.com> BODY=8BITMIME  SIZE=10 X\\s
                server gets: Rcpt To:b@[192.0.2.1]
                server gets: rcpt to :<c@example.net>
                server gets: RCPT TO:<@a.example,@b.example:d@example.net> NOTIFY=NEVER ORCPT=rfc822;x+20y
                server gets: RCPT\\tTO:<e..f@example.net.>
                server gets: RCPT TO:<\\xc3\\xa4@example.net> \\xff
                server: 250 1
                server: 501 2
                server: 250 3
                server: 250 4
                server: 250 5
                server: 250 6
                client gets: 250 1
                client gets: 501 2
                client gets: 250 3
                client gets: 250 4
                client gets: 250 5
                client gets: 250 6
                """, QUIT).recording(recorder -> {
            if (recorder.lines("rcpt").size() != 5 || recorder.transactions().get(0).recipients().size() != 5) {
                throw new AssertionError(recorder.lines());
            }
        }).replayEveryWay();
    }

    @Test
    void nullSenderIsAValueAndUnparsableOnesAreNeverStale() {
        transcript(ENVELOPE, MESSAGE, """
                client: MAIL FROM:<>
                server gets: MAIL FROM:<>
                server: 250 ok
                client gets: 250 ok
                client: RSET
                server gets: RSET
                server: 250 ok
                client gets: 250 ok
                client: MAIL garbage
                server gets: MAIL garbage
                server: 501 syntax
                client gets: 501 syntax
                """, QUIT).recording(recorder -> {
            var senders = recorder.transactions().stream().map(each -> each.sender().getClass().getSimpleName()).toList();
            if (!senders.equals(java.util.List.of("Mailbox", "Null", "Unparsed"))) {
                throw new AssertionError(senders);
            }
        }).replayEveryWay();
    }

    @Test
    void oddlyWrittenDataIsData() {
        transcript(ENVELOPE, """
                client: dAtA\\s\\s
                server gets: dAtA\\s\\s
                server: 354 go on
                client gets: 354 go on
                client: QUIT
                client: .
                server gets: QUIT
                server gets: .
                server: 250 queued
                client gets: 250 queued
                """, QUIT).records("message", "message 1 1").replayEveryWay();
    }

    @Test
    void refusedDataLeavesTheSessionInStep() {
        transcript(ENVELOPE, """
                client: DATA
                server gets: DATA
                server: 451 4.3.0 later
                client gets: 451 4.3.0 later
                client: NOOP
                server gets: NOOP
                server: 250 ok
                client gets: 250 ok
                """, QUIT).records("transaction", """
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets DEFERRED 451 4.3.0 later""").replayEveryWay();
    }

    @Test
    void everyTransactionIsRecordedWhenTheSessionEndsAmongThem() {
        transcript(ENVELOPE, """
                client: MAIL FROM:<nested@example.com>
                server gets: MAIL FROM:<nested@example.com>
                (client vanishes)
                (session ended)
                """).records("transaction session", """
                        transaction 2 <nested@example.com> to  : 0 octets ABANDONED
                        transaction 1 <a@example.com> to <b@example.net>=250 : 0 octets ABANDONED
                        session CLIENT_GONE 2 : reset by peer""").replayEveryWay();
    }

    @Test
    void probeHasNoTransaction() {
        transcript(OPEN, "(client vanishes)\nserver gets: QUIT\nserver leg: awaits peer\n")
                .records("transaction session", "session CLIENT_GONE 0 : reset by peer").replayEveryWay();
    }

    @Test
    void recipientsBeyondTheBookkeepingLimitAreCountedOnly() {
        var settings = new SessionSettings(Timeouts.DEFAULT, SessionSettings.DEFAULT.bareLineEnds(), SessionSettings.DEFAULT.ehloKeywords(),
                4096, 16 * 1024, 64 * 1024, 2, false, MessageLimits.DEFAULT, OnMailSettings.DEFAULT);
        var text = new StringBuilder(ENVELOPE);
        for (int i = 0; i < 5; i++) {
            text.append("client: RCPT TO:<x>\nserver gets: RCPT TO:<x>\nserver: 250 ok\nclient gets: 250 ok\n");
        }
        transcript(text.toString(), QUIT).settings(settings).recording(recorder -> {
            var record = recorder.transactions().get(0);
            if (record.recipients().size() != 2 || record.recipientCount() != 6) {
                throw new AssertionError(record);
            }
        }).replayEveryWay();
    }
}
