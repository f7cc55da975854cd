package dev.weft.session;

import dev.weft.relay.FailureMode;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessageJudge;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.Verdict;
import dev.weft.session.Judge.Decision;
import dev.weft.smtp.Header;
import dev.weft.smtp.Headers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What the handlers chose for one message: its path, who reads along, who judges. */
final class MessagePlan {

    /** What one handler chose. */
    private static final class Part {
        final RelayHandler handler;
        final MessageUse use;
        final MessageReader reader;
        final MessageJudge judge;
        boolean asked;

        Part(RelayHandler handler, MessageUse use, MessageReader reader, MessageJudge judge) {
            this.handler = handler;
            this.use = use;
            this.reader = reader;
            this.judge = judge;
        }
    }

    private final SmtpSession session;
    private final boolean chunked;
    private final List<Part> readers = new ArrayList<>(1);
    private final List<Part> judges = new ArrayList<>(1);
    private List<Header> prepended = List.of();
    private HeldView held;
    private MessageChange change;
    private Part asking;

    /**
     * Makes a plan that streams.
     *
     * @param chunked whether the message comes by BDAT
     */
    MessagePlan(SmtpSession session, boolean chunked) {
        this.session = session;
        this.chunked = chunked;
    }

    /** Adds what a handler chose; throws if that goes beyond what it declared. */
    void add(RelayHandler handler, MessagePath path) {
        var use = session.uses.of(handler);
        if (path instanceof MessagePath.Stream stream) {
            prepend(use, stream.prepended());
        } else if (path instanceof MessagePath.HoldTheDot dot) {
            require(use, MessageUse.Kind.LOOK, "holdTheDot");
            prepend(use, dot.prepended());
            readers.add(new Part(handler, use, dot.reader(), null));
        } else if (path instanceof MessagePath.Hold hold) {
            require(use, MessageUse.Kind.LOOK, "hold");
            if (chunked) {
                throw new IllegalStateException("a message that comes by BDAT can't be held: declare a use without chunking");
            }
            session.port.messageStore(); // one that is not there fails this handler, and not the message
            judges.add(new Part(handler, use, null, hold.judge()));
        } else {
            throw new NullPointerException("the handler chose no path: return MessagePath.stream() to let the message pass");
        }
    }

    private void prepend(MessageUse use, List<Header> headers) {
        if (headers.isEmpty()) {
            return;
        }
        require(use, MessageUse.Kind.GROW, "prepending headers");
        requireGrowth(use, headers.stream().mapToLong(Header::length).sum());
        var all = new ArrayList<>(headers);
        all.addAll(prepended);
        prepended = List.copyOf(all);
    }

    private static void require(MessageUse use, MessageUse.Kind least, String what) {
        if (use.kind().compareTo(least) < 0) {
            throw new IllegalStateException(what + " needs " + least + " or more, but messageUse() declared " + use.kind()
                    + ": the client was promised accordingly, so declare it there");
        }
    }

    private static void requireGrowth(MessageUse use, long growth) {
        if (use.kind() == MessageUse.Kind.GROW && growth > use.growth()) {
            throw new IllegalStateException("the message would grow by " + growth + " octets, but messageUse() declared at most "
                    + use.growth() + ": declare more there, or add less");
        }
    }

    /** Nothing was chosen but to stream as it comes. */
    boolean plain() {
        return readers.isEmpty() && judges.isEmpty() && prepended.isEmpty();
    }

    boolean holds() {
        return !judges.isEmpty();
    }

    boolean holdsTheDot() {
        return !readers.isEmpty() && !holds();
    }

    List<Header> prepended() {
        return prepended;
    }

    /** Shows the readers a piece of the message; whether it may go on. */
    boolean read(ByteBuffer piece) {
        for (int i = 0; i < readers.size(); i++) {
            var part = readers.get(i);
            try {
                part.reader.read(piece.asReadOnlyBuffer());
            } catch (Throwable failure) {
                if (session.judge.failed(part.handler, failure) == FailureMode.TEMPFAIL) {
                    return false;
                }
                readers.remove(i--); // and so it is not asked at the end; the dot is held all the same
            }
        }
        return true;
    }

    /**
     * The message is whole: asks readers and judges, in the handlers' order.
     *
     * @param message what is held, or null if it is not
     */
    void ask(HeldView message, Consumer<Decision<MessageChange>> decided) {
        held = message;
        change = MessageChange.none().prepend(prepended);
        session.judge.ask(change, (handler, present) -> ask(handler), this::accepted, Answers.HANDLER_FAILED, decided);
    }

    private Verdict<MessageChange> ask(RelayHandler handler) {
        asking = next(readers, handler);
        if (asking != null) {
            return ended(asking.reader.end());
        }
        asking = next(judges, handler);
        return asking == null ? Verdict.proceed() : asking.judge.judge(held.changed(change));
    }

    private static Part next(List<Part> parts, RelayHandler handler) {
        for (var part : parts) {
            if (part.handler == handler && !part.asked) {
                part.asked = true;
                return part;
            }
        }
        return null;
    }

    /** A reader's verdict changes nothing: nobody can make a value of type Void to rewrite to. */
    @SuppressWarnings("unchecked")
    private static Verdict<MessageChange> ended(Verdict<Void> verdict) {
        return (Verdict<MessageChange>) (Verdict<?>) verdict;
    }

    /** Checks a change against what its handler declared. */
    private MessageChange accepted(MessageChange given) {
        var all = change.then(given);
        if (!given.isNone()) {
            require(asking.use, given.replacedBody().isPresent() ? MessageUse.Kind.REPLACE : MessageUse.Kind.GROW, "the change");
            Headers before = change.apply(held.original());
            requireGrowth(asking.use, (long) all.apply(held.original()).length() - before.length());
        }
        change = all;
        return all;
    }
}
