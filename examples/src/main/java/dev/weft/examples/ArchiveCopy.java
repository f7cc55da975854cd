package dev.weft.examples;

import dev.weft.relay.HeldMessage;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Writes a copy of each message to a file before the message goes on. A message that can't be copied is not relayed: the sender
 * gets a 451 and tries again. A copy says nothing about what became of the message; the log does.
 *
 * <pre>java -Darchive=/var/lib/weft/archive -jar weft-proxy.jar --listen 127.0.0.1:2525 --to mx.example.com:25 \
 *     --handler dev.weft.examples.ArchiveCopy</pre>
 */
public final class ArchiveCopy implements RelayHandler {

    private static final int WRITERS = 4;

    private final Path directory;
    /** Files are never written on an event loop. */
    private final ExecutorService writers = Executors.newFixedThreadPool(WRITERS, task -> {
        var thread = new Thread(task, "archive");
        thread.setDaemon(true);
        return thread;
    });

    /** Takes the directory, which must be there, from the system property {@code archive}. */
    public ArchiveCopy() {
        this(Path.of(System.getProperty("archive", "archive")));
    }

    /**
     * Takes the directory from the host.
     *
     * @param directory must be there
     */
    public ArchiveCopy(Path directory) {
        if (!Files.isDirectory(directory)) {
            throw new IllegalArgumentException("archive " + directory.toAbsolutePath()
                    + " is no directory: make it, or name another");
        }
        this.directory = directory;
    }

    @Override
    public MessageUse messageUse(RelaySession session) {
        return MessageUse.look();
    }

    @Override
    public MessagePath message(Transaction transaction) {
        var name = transaction.session().id() + "-" + transaction.number() + ".eml";
        return MessagePath.hold(message -> Verdict.later(CompletableFuture.supplyAsync(() -> copy(message, name), writers)));
    }

    /** Under another name first, so that a file with the right one is always whole. */
    private Verdict<MessageChange> copy(HeldMessage message, String name) {
        try {
            var part = Files.createTempFile(directory, name, ".part"); // 0600
            try (var in = message.open()) {
                try (var out = Files.newOutputStream(part)) { // not Files.copy, which would make the file anew, for all to read
                    in.transferTo(out);
                }
                Files.move(part, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(part);
            }
            return Verdict.proceed();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
