package dev.weft.session;

import dev.weft.smtp.Command;
import dev.weft.smtp.Verb;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The commands that wait for a reply, in order. Entries that hold a reply leave from the head at once, so the head, if there is
 * one, is what the server's next reply answers.
 */
final class ReplyQueue {

    /** More outstanding entries close the command gate. */
    static final int LIMIT = 100;

    private final ArrayDeque<Entry> entries = new ArrayDeque<>(3);

    Entry head() {
        return entries.peekFirst();
    }

    void add(Entry entry) {
        entries.addLast(entry);
    }

    /** A command of the proxy's own that the server gets before all others. */
    void addFirst(Entry entry) {
        entries.addFirst(entry);
    }

    /** Goes through the commands whose replies are outstanding, in order. */
    void unanswered(Consumer<Command> each) {
        for (var entry : entries) {
            if (entry.reply == null) {
                each.accept(entry.command);
            }
        }
    }

    /** Whether all that is unanswered could be said again: a chunk could not, its octets are gone. */
    boolean repeatable() {
        for (var entry : entries) {
            if (entry.kind == Entry.Kind.MESSAGE || entry.command.verb() == Verb.BDAT) {
                return false;
            }
        }
        return true;
    }

    Entry removeHead() {
        return entries.removeFirst();
    }

    /** Lets entries of one transaction belong to another. */
    void move(TransactionState from, TransactionState to) {
        for (var entry : entries) {
            if (entry.transaction == from) {
                entry.transaction = to;
                from.entries--;
                to.entries++;
            }
        }
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    int size() {
        return entries.size();
    }

    /** Whether the reply to a message is outstanding: the message left, and only the server knows what became of it. */
    boolean awaitsMessageReply() {
        for (var entry : entries) {
            if (entry.kind == Entry.Kind.MESSAGE) {
                return true;
            }
        }
        return false;
    }

    /** Whether DATA is outstanding: the server may by now be waiting for a message. */
    boolean awaitsDataReply() {
        for (var entry : entries) {
            if ((entry.kind == Entry.Kind.COMMAND || entry.kind == Entry.Kind.OWN) && entry.command.verb() == Verb.DATA) {
                return true;
            }
        }
        return false;
    }
}
