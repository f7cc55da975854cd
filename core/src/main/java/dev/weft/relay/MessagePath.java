package dev.weft.relay;

import dev.weft.smtp.Header;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How the message of a transaction is carried. Dot-stuffing and the end-of-data are the proxy's business: readers and judges see
 * the message itself.
 *
 * <p>Where several handlers choose, the strictest path is taken: one that holds makes the message held, and the readers read it
 * as it comes. Their verdicts are asked for in the handlers' order.
 */
public sealed interface MessagePath {

    /**
     * Bytes go on as they come; nothing is kept. The default.
     *
     * @param prepended fields that are sent before the message, topmost first
     */
    record Stream(List<Header> prepended) implements MessagePath {
        private static final Stream INSTANCE = new Stream(List.of());

        /**
         * Takes a copy.
         *
         * @param prepended fields that are sent before the message, topmost first
         */
        public Stream {
            prepended = List.copyOf(prepended);
        }

        /**
         * The same path, with fields before the message: a Received line, a Feedback-ID. Needs {@link MessageUse#grow}.
         *
         * @param headers topmost first
         * @return the changed copy
         */
        public Stream prepending(Header... headers) {
            return new Stream(before(headers, prepended));
        }
    }

    /**
     * Bytes go on as they come, and a reader reads along; the end-of-data is held until its verdict.
     *
     * @param reader reads this message only
     * @param prepended fields that are sent before the message, topmost first; the reader does not see them
     */
    record HoldTheDot(MessageReader reader, List<Header> prepended) implements MessagePath {
        /**
         * Takes a copy.
         *
         * @param reader reads this message only
         * @param prepended fields that are sent before the message, topmost first; the reader does not see them
         */
        public HoldTheDot {
            Objects.requireNonNull(reader, "reader");
            prepended = List.copyOf(prepended);
        }

        /**
         * The same path, with fields before the message. Needs {@link MessageUse#grow}.
         *
         * @param headers topmost first
         * @return the changed copy
         */
        public HoldTheDot prepending(Header... headers) {
            return new HoldTheDot(reader, before(headers, prepended));
        }
    }

    /**
     * The whole message is kept before DATA is sent on.
     *
     * @param judge judges this message only
     */
    record Hold(MessageJudge judge) implements MessagePath {
        /**
         * Checks that there is a judge.
         *
         * @param judge judges this message only
         */
        public Hold {
            Objects.requireNonNull(judge, "judge");
        }
    }

    /**
     * Bytes go on as they come; nothing is kept.
     *
     * @return the path
     */
    static Stream stream() {
        return Stream.INSTANCE;
    }

    /**
     * Bytes go on as they come, but the server gets no end-of-data, and so accepts nothing, before the reader's verdict. A
     * rejection drops the server leg; the session goes on over a fresh one. Needs {@link MessageUse#look} or more.
     *
     * @param reader reads this message only
     * @return the path
     */
    static HoldTheDot holdTheDot(MessageReader reader) {
        return new HoldTheDot(reader, List.of());
    }

    /**
     * The whole message is kept, in memory and then in a file, before the server hears of it. Needs {@link MessageUse#look} or
     * more. A message that comes by BDAT can't be held.
     *
     * @param judge judges this message only
     * @return the path
     */
    static Hold hold(MessageJudge judge) {
        return new Hold(judge);
    }

    private static List<Header> before(Header[] headers, List<Header> others) {
        var all = new ArrayList<>(List.of(headers));
        all.addAll(others);
        return all;
    }
}
