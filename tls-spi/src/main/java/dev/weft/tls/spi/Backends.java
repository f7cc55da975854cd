package dev.weft.tls.spi;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/**
 * Finds the backends that are there. One that is broken (a missing class, a wrong entry) is reported in {@link #problems()} and
 * does not hide the others. Finding may load native code: it belongs to building and starting, not on an event loop.
 */
public final class Backends {
    /** An iterator that never gets past its error must not hold us for ever. */
    private static final int MOST_ERRORS = 100;

    private final Map<String, TlsBackend> backends = new LinkedHashMap<>();
    private final Map<String, String> unavailable = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();

    private Backends() {}

    /**
     * Looks where this library comes from, then with the thread's context class loader.
     *
     * @return what was found
     */
    public static Backends find() {
        return find(Backends.class.getClassLoader());
    }

    /**
     * Looks with a given class loader, then with the thread's context class loader.
     *
     * @param loader the first to ask; its backend wins over one of the same name found later
     * @return what was found
     */
    public static Backends find(ClassLoader loader) {
        var found = new Backends();
        found.search(loader);
        var context = Thread.currentThread().getContextClassLoader();
        if (context != null && context != loader) {
            found.search(context);
        }
        return found;
    }

    private void search(ClassLoader loader) {
        var providers = ServiceLoader.load(TlsBackend.class, loader).iterator();
        int errors = 0;
        while (errors < MOST_ERRORS) {
            try {
                if (!providers.hasNext()) {
                    return;
                }
                add(providers.next());
            } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
                errors++;
                note(String.valueOf(e.getMessage()) + (e.getCause() == null ? "" : " (" + e.getCause() + ")"));
            }
        }
    }

    private void add(TlsBackend backend) {
        var former = backends.putIfAbsent(backend.name(), backend);
        if (former == null) {
            reasonAgainst(backend).ifPresent(reason -> unavailable.put(backend.name(), reason));
        } else if (former.getClass() != backend.getClass()) {
            note(backend.getClass().getName() + " was left out: it is named " + backend.name() + " like "
                    + former.getClass().getName());
        }
    }

    private static Optional<String> reasonAgainst(TlsBackend backend) {
        try {
            return backend.unavailable();
        } catch (LinkageError | RuntimeException e) { // such as Conscrypt's jar not being there
            return Optional.of(e + ": put all that it needs on the class path or module path");
        }
    }

    private void note(String problem) {
        if (!problems.contains(problem)) {
            problems.add(problem);
        }
    }

    /**
     * All backends found, those that can't run included.
     *
     * @return in the order in which they were found
     */
    public List<TlsBackend> all() {
        return List.copyOf(backends.values());
    }

    /**
     * What went wrong while looking.
     *
     * @return a sentence each, for a log
     */
    public List<String> problems() {
        return List.copyOf(problems);
    }

    /**
     * The backend with the highest priority among those that can run here.
     *
     * @return empty if none can; {@link #describe()} tells why
     */
    public Optional<TlsBackend> best() {
        return backends.values().stream()
                .filter(backend -> !unavailable.containsKey(backend.name()))
                .max(Comparator.comparingInt(TlsBackend::priority));
    }

    /**
     * The backend that the host named.
     *
     * @param name as {@link TlsBackend#name()} gives it
     * @return the backend, which can run here
     * @throws TlsException if there is none of that name, or it can't run here; the message lists what there is
     */
    public TlsBackend named(String name) throws TlsException {
        var backend = backends.get(name);
        if (backend == null) {
            throw new TlsException("there is no TLS backend named \"" + name + "\"; " + describe());
        }
        if (unavailable.containsKey(name)) {
            throw new TlsException("the TLS backend \"" + name + "\" can't run here; " + describe());
        }
        return backend;
    }

    /**
     * All that was found, for a message or a log.
     *
     * @return one line
     */
    public String describe() {
        if (backends.isEmpty() && problems.isEmpty()) {
            return "none was found: add weft-tls-jdk or weft-tls-conscrypt to the class path or module path";
        }
        var parts = new ArrayList<String>();
        for (var name : backends.keySet()) {
            parts.add(name + (unavailable.containsKey(name) ? " (can't run: " + unavailable.get(name) + ")" : " (can run)"));
        }
        problems.forEach(problem -> parts.add("broken: " + problem));
        return "found: " + String.join(", ", parts);
    }
}
