package dev.weft.examples.bench;

/**
 * One of the ways from the sender to the sink.
 *
 * @param port where it listens
 * @param pid the proxy's process, or 0 for the direct way
 */
record Contender(String name, int port, long pid) {

    double cpuSeconds() {
        return pid == 0 ? 0 : ProcFs.cpuSeconds(pid);
    }
}
