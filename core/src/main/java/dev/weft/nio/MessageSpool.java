package dev.weft.nio;

import dev.weft.relay.MessageBody;
import dev.weft.session.MessageStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps held messages: in memory while they are small and there is room, then each in a file that nobody else can open and that
 * is gone with the process. Files are worked on by threads of its own, hosts' bodies are read by others, so that neither stops
 * the other.
 */
public final class MessageSpool implements MessageStore {

    private static final int FILE_THREADS = 4;
    private static final int BODY_THREADS = 8;

    /**
     * How much is kept, and where.
     *
     * @param directory for the files
     * @param memoryEach octets of one message that are kept in memory
     * @param memoryForAll octets of all messages that are kept in memory
     * @param storageForAll octets of all messages, in memory and in files
     */
    public record Limits(Path directory, int memoryEach, long memoryForAll, long storageForAll) {
        /** In the system's directory for temporary files: 1 MiB each in memory, an eighth of the heap for all. */
        public static final Limits DEFAULT = new Limits(
                Path.of(System.getProperty("java.io.tmpdir")), 1 << 20, Runtime.getRuntime().maxMemory() / 8, Long.MAX_VALUE);
    }

    /** Makes files; another one in tests. */
    interface Disk {
        FileChannel create(Path directory) throws IOException;
    }

    private final Limits limits;
    private final Disk disk;
    private final ExecutorService files = workers("weft-files", FILE_THREADS);
    private final ExecutorService bodies = workers("weft-bodies", BODY_THREADS);
    final AtomicLong memory = new AtomicLong();
    final AtomicLong storage = new AtomicLong();
    final AtomicInteger openFiles = new AtomicInteger();

    /**
     * Makes an empty spool; its threads start when they are needed.
     *
     * @param limits how much is kept, and where
     */
    public MessageSpool(Limits limits) {
        this(limits, MessageSpool::unlinkedFile);
    }

    MessageSpool(Limits limits, Disk disk) {
        this.limits = limits;
        this.disk = disk;
    }

    private static ExecutorService workers(String name, int threads) {
        var count = new AtomicInteger();
        var pool = new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            var thread = new Thread(task, name + "-" + count.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        });
        pool.allowCoreThreadTimeOut(true);
        // What is to be closed after the end is closed by whoever says so.
        pool.setRejectedExecutionHandler((task, ended) -> task.run());
        return pool;
    }

    /** A file that only this process can reach: 0600, and unlinked before anything is written. */
    private static FileChannel unlinkedFile(Path directory) throws IOException {
        var path = directory.resolve("weft-" + Long.toUnsignedString(new SecureRandom().nextLong(), 36) + ".tmp");
        FileAttribute<?>[] attributes = directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))}
                : new FileAttribute<?>[0];
        var options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE); // for where an open file can't be unlinked
        var channel = FileChannel.open(path, options, attributes);
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // left to DELETE_ON_CLOSE
        }
        return channel;
    }

    /** {@inheritDoc} */
    @Override
    public Kept keep() {
        return new KeptMessage(this);
    }

    /** {@inheritDoc} */
    @Override
    public Source read(MessageBody body) {
        return new BodySource(body, bodies);
    }

    int memoryEach() {
        return limits.memoryEach();
    }

    FileChannel createFile() throws IOException {
        var file = disk.create(limits.directory());
        openFiles.incrementAndGet();
        return file;
    }

    ExecutorService files() {
        return files;
    }

    boolean reserveMemory(int octets) {
        return reserve(memory, octets, limits.memoryForAll());
    }

    boolean reserveStorage(int octets) {
        return reserve(storage, octets, limits.storageForAll());
    }

    private static boolean reserve(AtomicLong counter, int octets, long limit) {
        if (counter.addAndGet(octets) > limit) {
            counter.addAndGet(-octets);
            return false;
        }
        return true;
    }

    /** Ends the threads, after what they have to do. */
    void close() {
        files.shutdown();
        bodies.shutdown();
    }

    /** Reads a host's body, one piece after the other. */
    private static final class BodySource implements Source {
        private final MessageBody body;
        private final ExecutorService threads;
        private CompletableFuture<?> last = CompletableFuture.completedFuture(null);
        private InputStream in;

        BodySource(MessageBody body, ExecutorService threads) {
            this.body = body;
            this.threads = threads;
        }

        @Override
        public CompletionStage<ByteBuffer> next(int most) {
            var next = new CompletableFuture<ByteBuffer>();
            last = last.thenRunAsync(() -> {
                try {
                    in = in == null ? body.open() : in;
                    next.complete(ByteBuffer.wrap(in.readNBytes(most)));
                } catch (Throwable failure) {
                    next.completeExceptionally(failure);
                }
            }, threads);
            return next;
        }

        @Override
        public void close() {
            last = last.thenRunAsync(() -> {
                try {
                    if (in != null) {
                        in.close();
                    }
                } catch (IOException e) {
                    // all that was wanted of it is read
                }
            }, threads);
        }
    }
}
