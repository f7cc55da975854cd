package dev.weft.tls.spi;

import java.util.Optional;

/**
 * One implementation of TLS, found by {@link java.util.ServiceLoader} through {@link Backends}.
 *
 * <p>Implementations have a public constructor without arguments, which must not throw when the backend can't run:
 * {@link #unavailable()} tells that. None of the methods is for an event loop: they may load native code and read files. An
 * implementation should pass {@code TlsContract} of the test kit, which is published beside this module.
 */
public interface TlsBackend {

    /**
     * The name by which a host chooses this backend.
     *
     * @return a short lower-case word, unique among backends, such as {@code jdk}
     */
    String name();

    /**
     * Tells whether this backend can run on this machine and JVM.
     *
     * @return empty if it can run, else the reason why not, and what would mend it, in one sentence
     */
    Optional<String> unavailable();

    /**
     * Where this backend stands when the host names none: the available one with the highest number is taken.
     *
     * @return 0 for the JDK's engine, 100 for Conscrypt
     */
    int priority();

    /**
     * Tells whether sessions of such a client can be kept on disk over a restart, so that a host can be told before it relies
     * on it.
     *
     * @param settings the settings, with or without a directory
     * @return what would be kept
     */
    SessionKeeping sessionKeeping(ClientSettings settings);

    /**
     * Makes a context for clients. Reads key files, and makes and reads the session directory.
     *
     * @param settings what it shall be like
     * @return the context
     * @throws TlsException if a setting can't be met: a key that can't be read, a directory that can't be used, one that would
     *     never be of use, a version that is not to be had
     */
    TlsClientContext client(ClientSettings settings) throws TlsException;

    /**
     * Makes a context for servers. Reads key files.
     *
     * @param settings what it shall be like
     * @return the context
     * @throws TlsException if a setting can't be met: a key that can't be read, a version that is not to be had
     */
    TlsServerContext server(ServerSettings settings) throws TlsException;
}
