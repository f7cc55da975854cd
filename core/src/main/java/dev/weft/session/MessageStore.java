package dev.weft.session;

import dev.weft.relay.MessageBody;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/**
 * Keeps messages that are held. Its methods are called on a session's thread and never wait: what takes time is a stage, which
 * may complete on any thread. A stage that fails means that the message can't be kept, or is lost.
 */
public interface MessageStore {

    /**
     * Makes room for one message.
     *
     * @return the room, empty
     */
    Kept keep();

    /**
     * Reads a host's own body, elsewhere than on the session's thread.
     *
     * @param body what to read
     * @return the reading
     */
    Source read(MessageBody body);

    /** One message. */
    interface Kept {
        /**
         * Keeps more.
         *
         * @param content taken over before this returns, and consumed
         * @return complete when more is welcome; until then only what is at hand is to be appended
         */
        CompletionStage<?> append(ByteBuffer content);

        /**
         * Nothing more comes.
         *
         * @return complete when all is kept
         */
        CompletionStage<?> seal();

        /**
         * Reads a part of what was sealed.
         *
         * @param from where it begins
         * @param most how much of it at most
         * @return at least one octet, or none at the end
         */
        CompletionStage<ByteBuffer> read(long from, int most);

        /**
         * Reads all of what was sealed, on threads of a host's own.
         *
         * @return a stream that throws once the message was discarded
         */
        InputStream open();

        /** Nobody needs it any more. May be called at any time, and again. */
        void discard();
    }

    /** The reading of a body. */
    interface Source {
        /**
         * The next part.
         *
         * @param most how much of it at most
         * @return at least one octet, or none at the end
         */
        CompletionStage<ByteBuffer> next(int most);

        /** Nobody reads on. May be called at any time, and again. */
        void close();
    }
}
