package dev.weft.tls.spi;

/**
 * What many connections share: settings, keys, sessions. Safe for use by many threads; one context should serve all of them,
 * since sessions and tickets of one are unknown to another.
 */
public interface TlsContext extends AutoCloseable {

    /**
     * Does what may block and therefore must not happen on an event loop: looks whether key files changed and takes the new ones
     * into use, and writes sessions that are kept on disk. A host calls it every few seconds from a thread of its own, never from
     * two at once. Where there is nothing to do it costs next to nothing. Sessions stay good when certificates change, unless the
     * engine holds them to the certificates that they began with, as the JDK's of Java 25 does.
     *
     * @throws TlsException if new files can't be used (the former keys stay in use, the next call tries again) or sessions can't
     *     be written
     */
    void maintain() throws TlsException;

    /**
     * How many file descriptors each engine holds from its making until it is freed, so that a host can count with them.
     *
     * @return 0 unless the implementation says otherwise
     */
    default int descriptorsPerEngine() {
        return 0;
    }

    /** Writes what is kept on disk. Engines that are still open stay usable. May block; may be called again. */
    @Override
    void close();
}
