package dev.weft.examples;

import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Reply;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * Caps the size of messages and refuses attachments by their names. It reads along while the message flows and decides at its
 * end, so that clean mail is not delayed.
 *
 * <pre>java -Dlargest=20000000 -Drefused=exe,js,scr -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 \
 *     --handler dev.weft.examples.SizeAndNameGuard</pre>
 *
 * <p>It looks for names in the header fields of MIME parts as they are written; it does not unpack encoded names or archives.
 */
public final class SizeAndNameGuard implements RelayHandler {

    private final long largest;
    private final Pattern refused;

    /** Takes the limit and the endings from the system properties {@code largest} and {@code refused}. */
    public SizeAndNameGuard() {
        this(Long.getLong("largest", 25_000_000), System.getProperty("refused", "exe,com,scr,pif,bat,cmd,js,vbs,lnk").split(","));
    }

    /**
     * Takes the limit and the endings from the host.
     *
     * @param largest octets of the largest message
     * @param endings of file names that are refused, without the dot, in any case
     */
    public SizeAndNameGuard(long largest, String... endings) {
        this.largest = largest;
        var any = Pattern.quote(endings[0]);
        for (int i = 1; i < endings.length; i++) {
            any += "|" + Pattern.quote(endings[i].strip());
        }
        refused = Pattern.compile("name(\\*\\d*)?\\*?\\s*=\\s*(\"[^\"]*|[^\\s;\"]*)\\.(" + any + ")[\\s\".]*(;|$)",
                Pattern.CASE_INSENSITIVE);
    }

    /**
     * The limit is promised with EHLO, so that a client with a larger message need not send it; and it holds for those that do.
     */
    @Override
    public MessageUse messageUse(RelaySession session) {
        return MessageUse.look().upTo(largest);
    }

    @Override
    public MessagePath message(Transaction transaction) {
        return MessagePath.holdTheDot(new Names());
    }

    /** Goes through a message line by line; of a long line only the beginning matters, and so no more is kept. */
    private final class Names implements MessageReader {
        private static final int LONGEST = 2000;

        private final StringBuilder line = new StringBuilder();
        private final StringBuilder field = new StringBuilder();
        private boolean found;

        @Override
        public void read(ByteBuffer piece) {
            while (piece.hasRemaining() && !found) {
                char c = (char) (piece.get() & 0xff);
                if (c == '\n') {
                    line();
                } else if (c != '\r' && line.length() < LONGEST) {
                    line.append(c);
                }
            }
        }

        /**
         * A name may stand in a folded line (RFC 5322 §2.2.3), so a field is looked at when the next line does not continue it.
         */
        private void line() {
            var text = line.toString();
            line.setLength(0);
            if (!field.isEmpty() && (text.startsWith(" ") || text.startsWith("\t"))) {
                if (field.length() < LONGEST) {
                    field.append(text);
                }
                return;
            }
            endOfField();
            if (text.regionMatches(true, 0, "Content-", 0, 8)) {
                field.append(text);
            }
        }

        private void endOfField() {
            found |= refused.matcher(field).find();
            field.setLength(0);
        }

        @Override
        public Verdict<Void> end() {
            endOfField();
            return found
                    ? Verdict.reject(Reply.of(552, "5.7.0", "An attachment has a name that is not let through here"))
                    : Verdict.proceed();
        }
    }
}
