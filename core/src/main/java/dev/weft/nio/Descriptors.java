package dev.weft.nio;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many sessions the limit of open files has room for. Where a session was admitted, all that it may open is there for it:
 * who comes beyond that is told to come again, instead of losing a session in its midst. Known on Linux only.
 */
final class Descriptors {

    private static final Logger LOG = LoggerFactory.getLogger(Descriptors.class);

    /** Left to the rest of the process, classes still to be loaded or files that the host opens; of few, an eighth. */
    private static final long RESERVE = 64;

    private static final String LIMIT = "Max open files";

    private Descriptors() {}

    /** The sockets of both legs, and what their TLS engines hold. */
    static long perSession(Tls.Config tls) {
        return 2L + tls.client().map(context -> context.descriptorsPerEngine()).orElse(0)
                + tls.server().map(context -> context.descriptorsPerEngine()).orElse(0);
    }

    /**
     * Says for how many more sessions there is room now. Reads files.
     *
     * @return at least 1
     */
    static int room(long perSession) {
        try {
            var limit = limit(Files.readAllLines(Path.of("/proc/self/limits")));
            return limit.isEmpty() ? Integer.MAX_VALUE : room(limit.getAsLong(), open(), perSession);
        } catch (IOException e) {
            LOG.debug("the limit of open files can't be read here", e);
            return Integer.MAX_VALUE;
        }
    }

    static int room(long limit, long open, long perSession) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, (limit - open - Math.min(RESERVE, limit / 8)) / perSession));
    }

    /** The soft limit out of Linux's table; empty if there is none. */
    static OptionalLong limit(List<String> table) {
        for (var line : table) {
            if (line.startsWith(LIMIT)) {
                var soft = line.substring(LIMIT.length()).strip().split("\\s+")[0];
                return soft.equals("unlimited") ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(soft));
            }
        }
        return OptionalLong.empty();
    }

    private static long open() throws IOException {
        long count = 0;
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (var ignored : open) {
                count++;
            }
        }
        return count;
    }
}
