package dev.weft.tls.spi.support;

import dev.weft.tls.spi.TlsException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sessions by key, the latest of each, in memory and if wanted in a directory, one file each, so that they outlive the process.
 * Looking up and storing never touch a file; {@link #write()} does, off the event loops. What is stored is secret: whoever reads
 * it can read what the session protects; hence the modes 0700 and 0600.
 */
public final class SessionStore {
    private static final String SUFFIX = ".session";
    private static final int FORMAT = 1;
    private static final int LARGEST_FILE = 1 << 18;
    private static final Set<PosixFilePermission> FILE_MODE = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwx------");

    /** The time is in microseconds, and no two are the same, so that the oldest is known. */
    private record Session(String key, long stored, byte[] data) {
        boolean isFresh(Duration timeout) {
            return Instant.EPOCH.plus(stored, ChronoUnit.MICROS).plus(timeout).isAfter(Instant.now());
        }
    }

    private final Path directory;
    private final boolean posix;
    private final int most;
    private final Duration timeout;
    private final ConcurrentHashMap<String, Session> sessions = new ConcurrentHashMap<>();
    private final AtomicLong lastStored = new AtomicLong();
    private final Set<String> changed = ConcurrentHashMap.newKeySet();

    private SessionStore(Path directory, boolean posix, int most, Duration timeout) {
        this.directory = directory;
        this.posix = posix;
        this.most = most;
        this.timeout = timeout;
    }

    /** Makes the directory if it is not there, and reads what is in it. */
    public static SessionStore open(Path directory, int most, Duration timeout) throws TlsException {
        try {
            boolean posix = Files.getFileStore(existing(directory)).supportsFileAttributeView("posix");
            if (Files.notExists(directory)) {
                if (posix) {
                    Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY_MODE));
                } else {
                    Files.createDirectories(directory);
                }
            }
            if (!Files.isDirectory(directory)) {
                throw new TlsException("the session directory " + directory
                        + " is not a directory: name another, or remove what is there");
            }
            if (posix && !DIRECTORY_MODE.containsAll(Files.getPosixFilePermissions(directory))) {
                throw new TlsException("the session directory " + directory + " has mode "
                        + PosixFilePermissions.toString(Files.getPosixFilePermissions(directory))
                        + ", but it holds secrets: take it from the others (chmod 700)");
            }
            Files.delete(Files.createTempFile(directory, "probe", ".tmp")); // access rights tell root little
            var opened = new SessionStore(directory, posix, most, timeout);
            opened.read();
            return opened;
        } catch (IOException e) {
            throw new TlsException("the session directory " + directory + " can't be used (" + e
                    + "): name one that this process may make or write to", e);
        }
    }

    private static Path existing(Path path) throws NoSuchFileException {
        for (var at = path.toAbsolutePath(); at != null; at = at.getParent()) {
            if (Files.exists(at)) {
                return at;
            }
        }
        throw new NoSuchFileException(path.toString());
    }

    /** Without a directory: for who needs the memory only. */
    public static SessionStore inMemory(int most, Duration timeout) {
        return new SessionStore(null, false, most, timeout);
    }

    /** A session's bytes, if they are there and not too old. */
    public Optional<byte[]> get(String key) {
        var session = sessions.get(key);
        return session == null || !session.isFresh(timeout) ? Optional.empty() : Optional.of(session.data().clone());
    }

    /** Stores a session, in the file too at the next {@link #write()}. */
    public void put(String key, byte[] data) {
        if (sessions.size() >= 2L * most) { // nobody calls write(), it seems: what is lost is some full handshakes
            sessions.clear();
        }
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        sessions.put(key, new Session(key, lastStored.updateAndGet(last -> Math.max(last + 1, now)), data.clone()));
        changed.add(key);
    }

    /** Writes what is new, and lets go of what is too old or too much. Blocks on files; not from two threads at once. */
    public void write() throws TlsException {
        forget();
        if (directory == null) {
            changed.clear();
            return;
        }
        try {
            for (var key : List.copyOf(changed)) {
                changed.remove(key); // before the reading: a change in its midst is written the next time
                var session = sessions.get(key);
                if (session == null) {
                    Files.deleteIfExists(file(key));
                } else {
                    write(session);
                }
            }
        } catch (IOException e) {
            throw new TlsException("sessions can't be written to " + directory + " (" + e + ")", e);
        }
    }

    private void forget() {
        var stale = new ArrayList<Session>();
        for (var session : sessions.values()) {
            if (!session.isFresh(timeout)) {
                stale.add(session);
            }
        }
        stale.forEach(this::forget);
        int surplus = sessions.size() - most;
        if (surplus > 0) {
            sessions.values().stream().sorted(Comparator.comparingLong(Session::stored)).limit(surplus).toList()
                    .forEach(this::forget);
        }
    }

    private void forget(Session session) {
        if (sessions.remove(session.key(), session)) {
            changed.add(session.key());
        }
    }

    private void write(Session session) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(FORMAT);
            out.writeLong(session.stored());
            out.writeInt(session.key().length());
            out.write(session.key().getBytes(StandardCharsets.UTF_16BE));
            out.writeInt(session.data().length);
            out.write(session.data());
        }
        var target = file(session.key());
        var temporary = target.resolveSibling(target.getFileName() + ".tmp");
        Files.deleteIfExists(temporary);
        var options = EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = posix ? Files.newByteChannel(temporary, options, PosixFilePermissions.asFileAttribute(FILE_MODE))
                : Files.newByteChannel(temporary, options)) {
            var content = ByteBuffer.wrap(bytes.toByteArray());
            while (content.hasRemaining()) {
                channel.write(content);
            }
        }
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** A file that is not one of ours, or is broken, is as if it were not there. */
    private void read() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (var file : files) {
                if (Files.isRegularFile(file) && Files.size(file) <= LARGEST_FILE) {
                    try (var in = new DataInputStream(new ByteArrayInputStream(Files.readAllBytes(file)))) {
                        if (in.readByte() == FORMAT) {
                            read(in, file);
                        }
                    } catch (IOException e) {
                        continue;
                    }
                }
            }
        }
    }

    private void read(DataInputStream in, Path file) throws IOException {
        long stored = in.readLong();
        var key = new String(in.readNBytes(length(in) * 2), StandardCharsets.UTF_16BE);
        int length = length(in);
        var data = in.readNBytes(length);
        if (file.equals(file(key)) && data.length == length) {
            var session = new Session(key, stored, data);
            sessions.put(key, session);
            if (!session.isFresh(timeout)) {
                forget(session);
            }
        }
    }

    private static int length(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > LARGEST_FILE) {
            throw new IOException("length " + length);
        }
        return length;
    }

    private Path file(String key) {
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_16BE));
            return directory.resolve(HexFormat.of().formatHex(hash) + SUFFIX);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
