package dev.weft.session;

import dev.weft.relay.Stage;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;

/** One place in the reply queue: a command that waits for the server's reply, or that already holds a local one. */
final class Entry {

    /** What the entry waits for. */
    enum Kind {
        /** The reply to a command of the client's. */
        COMMAND,
        /** The reply to a message: after end-of-data or the last chunk. */
        MESSAGE,
        /** The reply to a command of the proxy's own: it never reaches the client. */
        OWN,
        /** Nothing: it holds a local reply. */
        LOCAL
    }

    final Kind kind;
    final Command command;
    /** What it belongs to, or null; another one once the server refused a nested MAIL before it. */
    TransactionState transaction;
    /** Which stage its wait counts for, or null. */
    final Stage stage;

    final long since;
    Reply reply;
    boolean endsSession;

    private Entry(Kind kind, Command command, TransactionState transaction, Stage stage, long since, Reply reply) {
        this.kind = kind;
        this.command = command;
        this.transaction = transaction;
        this.stage = stage;
        this.since = since;
        this.reply = reply;
        if (transaction != null) {
            transaction.entries++;
        }
    }

    static Entry command(Command command, TransactionState transaction, Stage stage, long now) {
        return new Entry(Kind.COMMAND, command, transaction, stage, now, null);
    }

    static Entry message(Command command, TransactionState transaction, long now) {
        return new Entry(Kind.MESSAGE, command, transaction, Stage.END_OF_DATA, now, null);
    }

    /** A RSET of the proxy's own, which ends a transaction. */
    static Entry reset(Command command, TransactionState transaction, long now) {
        return new Entry(Kind.OWN, command, transaction, null, now, null);
    }

    static Entry own(Command command, long now) {
        return new Entry(Kind.OWN, command, null, null, now, null);
    }

    static Entry local(Command command, TransactionState transaction, Reply reply, long now) {
        return new Entry(Kind.LOCAL, command, transaction, null, now, reply);
    }
}
