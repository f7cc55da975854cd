package dev.weft.tls.spi;

import java.util.Objects;
import java.util.Set;

/**
 * Whose sessions a backend can keep on disk, to be taken up again after a restart.
 *
 * @param versions the versions, among those of the settings, whose sessions it keeps; empty if it can keep none
 * @param limits why not all, and what would mend it, in one sentence; empty if all are kept
 */
public record SessionKeeping(Set<TlsVersion> versions, String limits) {

    /**
     * Copies the set.
     *
     * @param versions the versions, among those of the settings, whose sessions it keeps
     * @param limits why not all, and what would mend it, in one sentence
     * @throws NullPointerException if one is null
     */
    public SessionKeeping {
        versions = Set.copyOf(versions);
        Objects.requireNonNull(limits, "limits");
    }

    /**
     * Whether a session directory would be of any use.
     *
     * @return false if nothing in it would ever be taken up
     */
    public boolean possible() {
        return !versions.isEmpty();
    }
}
