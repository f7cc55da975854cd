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
 * What the limit of open files has room for, and what is taken of it. Where a session was admitted, all that it may open by
 * itself is there for it: who comes beyond that is told to come again, instead of losing a session in its midst. A server leg
 * that sessions bound on mail share is counted by itself, from before it is opened until its socket is closed: who needs one and
 * finds no room waits, as for a turn, and an idle leg closes. Known on Linux only.
 */
final class Descriptors {

    private static final Logger LOG = LoggerFactory.getLogger(Descriptors.class);

    /** Left to the rest of the process, classes still to be loaded or files that the host opens; of few, an eighth. */
    private static final long RESERVE = 64;

    private static final String LIMIT = "Max open files";

    private Descriptors() {}

    /**
     * What a session takes: the sockets of its legs, and what their TLS engines hold.
     *
     * @param serverLegEngine descriptors of an engine towards servers
     * @param clientLegEngine descriptors of an engine towards clients
     */
    record Cost(int serverLegEngine, int clientLegEngine) {

        static Cost of(Tls.Config tls) {
            return new Cost(tls.client().map(context -> context.descriptorsPerEngine()).orElse(0),
                    tls.server().map(context -> context.descriptorsPerEngine()).orElse(0));
        }

        /** Of a session of which nothing is known yet. */
        long most() {
            return of(true, true, true);
        }

        /** Of a server leg that is shared. */
        long leg(boolean tls) {
            return 1L + (tls ? serverLegEngine : 0);
        }

        long of(boolean clientTls, boolean serverLeg, boolean serverTls) {
            return 1L + (clientTls ? clientLegEngine : 0) + (serverLeg ? 1 : 0) + (serverTls ? serverLegEngine : 0);
        }
    }

    /**
     * Says how many more there may be now. Reads files.
     *
     * @return at least 0
     */
    static long room() {
        try {
            var limit = limit(Files.readAllLines(Path.of("/proc/self/limits")));
            return limit.isEmpty() ? Long.MAX_VALUE : room(limit.getAsLong(), open());
        } catch (IOException e) {
            LOG.debug("the limit of open files can't be read here", e);
            return Long.MAX_VALUE;
        }
    }

    static long room(long limit, long open) {
        return Math.max(0, limit - open - Math.min(RESERVE, limit / 8));
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
