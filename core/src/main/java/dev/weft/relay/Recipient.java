package dev.weft.relay;

import dev.weft.smtp.Command;
import dev.weft.smtp.Path;
import dev.weft.smtp.Reply;
import java.util.Optional;

/**
 * One RCPT command and what became of it.
 *
 * @param command the command, as it was passed on (or refused)
 * @param reply the reply that the client got, empty while it is outstanding
 */
public record Recipient(Command command, Optional<Reply> reply) {

    /**
     * The forward-path.
     *
     * @return the path, {@link Path.Unparsed} if it follows no grammar
     */
    public Path path() {
        return command.path();
    }

    /**
     * Whether the server accepted this recipient.
     *
     * @return true after a 2xx reply
     */
    public boolean accepted() {
        return reply.filter(Reply::isPositive).isPresent();
    }
}
