package dev.weft.policy;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what parts know in a file, over a restart of the proxy: {@link SourceAddresses}, {@link Reputation} and {@link
 * RateLimits} are such parts, and {@link #part} makes one of what a host knows. A host loads it before the proxy starts, and
 * saves it now and then and after the proxy closed, on a thread of its own: both wait for the disk. May be used by several
 * threads; there must be no other object, or process, for the same file.
 *
 * <p>The file is text, a line a record, fields parted by blanks and escaped with {@code %}:
 * <pre>
 * weft-state 1
 * rate-limits 192.0.2.7 1764530000000000000
 * end 1
 * </pre>
 * It is written beside its place, readable by its owner only, and then moved there, so that it is whole at any time. What can't
 * be read in it costs that line only.
 */
public final class StateFile {

    /** Something with records to keep. Called by {@link StateFile} only, on the thread that saves or loads. */
    public interface Part {

        /**
         * The word that this part's records begin with; no two parts of one file may have the same.
         *
         * @return letters, digits and {@code -}
         */
        String stateName();

        /**
         * Gives all records.
         *
         * @param out takes a record's fields: any texts, at least one, together no more than 16 KiB as they are written
         */
        void save(Consumer<List<String>> out);

        /**
         * Takes a record up, in the place of what is known under its key. Records come in the order in which they were given,
         * which is the one of their last use.
         *
         * @param fields as given to the consumer of {@link #save}, by this or an earlier version of the part
         * @throws RuntimeException if they make no sense; this record is then skipped
         */
        void load(List<String> fields);
    }

    /**
     * A part of a host's own.
     *
     * @param name as {@link Part#stateName}
     * @param save as {@link Part#save}
     * @param load as {@link Part#load}
     * @return the part
     */
    public static Part part(String name, Consumer<Consumer<List<String>>> save, Consumer<List<String>> load) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(save, "save");
        Objects.requireNonNull(load, "load");
        return new Part() {
            @Override
            public String stateName() {
                return name;
            }

            @Override
            public void save(Consumer<List<String>> out) {
                save.accept(out);
            }

            @Override
            public void load(List<String> fields) {
                load.accept(fields);
            }
        };
    }

    /**
     * What came of loading.
     *
     * @param loaded records that were taken up
     * @param damaged lines that were skipped since they made no sense
     * @param foreign lines of parts that this file was not given
     * @param whole false if the file ends before its last line, or is larger than allowed
     */
    public record Loaded(int loaded, int damaged, int foreign, boolean whole) {}

    private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
    /** A panel's host with 100,000 senders has about 8 MiB. */
    private static final long DEFAULT_MOST_BYTES = 64L << 20;
    /** Further damaged lines are counted only: a file of garbage must not become a log of garbage. */
    private static final int DAMAGE_SHOWN = 10;

    private final Path file;
    private final long mostBytes;
    private final Map<String, Part> parts;
    /** One at a time; shared by copies with another bound, since they write the same file. */
    private final ReentrantLock turn;

    private StateFile(Path file, long mostBytes, Map<String, Part> parts, ReentrantLock turn) {
        this.file = file;
        this.mostBytes = mostBytes;
        this.parts = parts;
        this.turn = turn;
    }

    /**
     * Names a file, of at most 64 MiB, and who is kept there.
     *
     * @param file is made if it is missing; its directory must be there
     * @param parts the parts, of different names
     * @return the file; nothing is read yet
     * @throws IllegalArgumentException if two parts have the same name, or a name can't be written
     */
    public static StateFile of(Path file, Part... parts) {
        var byName = new LinkedHashMap<String, Part>();
        for (var part : parts) {
            var name = part.stateName();
            if (!name.matches("[A-Za-z0-9-]{1,64}") || name.equals("end")) {
                throw new IllegalArgumentException("state name \"" + StateLines.escape(name)
                        + "\": give 1 to 64 letters, digits and \"-\", and not \"end\"");
            }
            if (byName.put(name, part) != null) {
                throw new IllegalArgumentException("two parts have the state name \"" + name
                        + "\": give each its own when building it");
            }
        }
        return new StateFile(file.toAbsolutePath(), DEFAULT_MOST_BYTES, byName, new ReentrantLock());
    }

    /**
     * The same file with another bound. Records beyond it are neither saved nor loaded, and a warning says so.
     *
     * @param bytes 1024 or more
     * @return the changed copy
     * @throws IllegalArgumentException if there are fewer
     */
    public StateFile withMostBytes(long bytes) {
        if (bytes < 1024) {
            throw new IllegalArgumentException("at most " + bytes + " bytes of state: give 1024 or more");
        }
        return new StateFile(file, bytes, parts, turn);
    }

    /**
     * Loads the parts from the file. A missing file is an empty one.
     *
     * @return what came of it
     * @throws IOException if the file can't be read, or is of another version or kind; it is left as it is
     */
    public Loaded load() throws IOException {
        turn.lock();
        try {
            var counts = new Counts();
            boolean whole = read(counts);
            if (!whole) {
                LOG.warn("state file {} is not whole, or larger than {} bytes: {} records were loaded", file, mostBytes,
                        counts.loaded);
            }
            if (counts.damaged > DAMAGE_SHOWN) {
                LOG.warn("state file {}: {} damaged lines in all", file, counts.damaged);
            }
            if (counts.foreign > 0) {
                LOG.warn("state file {}: {} lines are of parts that are not kept here; they go with the next save", file,
                        counts.foreign);
            }
            return new Loaded(counts.loaded, counts.damaged, counts.foreign, whole);
        } finally {
            turn.unlock();
        }
    }

    private boolean read(Counts counts) throws IOException {
        try {
            return StateLines.read(file, mostBytes, (number, fields) -> take(number, fields, counts));
        } catch (NoSuchFileException missing) {
            return true;
        } catch (IOException failure) {
            throw new IOException("state file " + file + " can't be read (" + failure + "): name a file that this process may"
                    + " read and replace", failure);
        }
    }

    private static final class Counts {
        int loaded;
        int damaged;
        int foreign;
    }

    private void take(int number, List<String> fields, Counts counts) {
        try {
            if (fields.size() < 2) {
                throw new IllegalArgumentException("no part's name and fields");
            }
            var part = parts.get(fields.get(0));
            if (part == null) {
                counts.foreign++;
                return;
            }
            part.load(fields.subList(1, fields.size()));
            counts.loaded++;
        } catch (RuntimeException damage) {
            if (++counts.damaged <= DAMAGE_SHOWN) {
                LOG.warn("state file {}: line {} is skipped: {}", file, number, damage.toString());
            }
        }
    }

    /**
     * Saves the parts to the file, in the place of what it had.
     *
     * @return the number of records saved; those that the file, or a line, has no room for are left out, and a warning says so
     * @throws IOException if it can't be written; the former file then stays as it is, as it does if a part fails
     * @throws IllegalArgumentException if a part gives a record without fields
     */
    public int save() throws IOException {
        turn.lock();
        try {
            var records = new ArrayList<List<String>>();
            parts.forEach((name, part) -> part.save(fields -> {
                if (fields.isEmpty()) {
                    throw new IllegalArgumentException("the part \"" + name
                            + "\" gave a record without fields: give at least one, such as a key");
                }
                var record = new ArrayList<String>(fields.size() + 1);
                record.add(name);
                record.addAll(fields);
                records.add(record);
            }));
            int saved = write(records);
            if (saved < records.size()) {
                LOG.warn("state file {}: {} of {} records were left out: the file may have {} bytes, and a record {}", file,
                        records.size() - saved, records.size(), mostBytes, StateLines.LONGEST_LINE);
            }
            return saved;
        } finally {
            turn.unlock();
        }
    }

    private int write(List<List<String>> records) throws IOException {
        try {
            return StateLines.write(file, mostBytes, records);
        } catch (IOException failure) {
            throw new IOException("state file " + file + " can't be written (" + failure + "): its directory must be there, let"
                    + " this process write, and have room for it twice", failure);
        }
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
