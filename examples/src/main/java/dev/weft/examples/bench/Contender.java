package dev.weft.examples.bench;

import java.util.function.DoubleSupplier;

/**
 * One of the ways from the sender to the sink.
 *
 * @param port where it listens
 * @param cpu the CPU seconds that what stands in between has used so far
 */
record Contender(String name, int port, DoubleSupplier cpu) {

    /** The way past all proxies. */
    static Contender direct(int port) {
        return new Contender("direct", port, () -> 0);
    }

    /** A proxy that is one process. */
    static Contender process(String name, int port, long pid) {
        return new Contender(name, port, () -> ProcFs.cpuSeconds(pid));
    }

    double cpuSeconds() {
        return cpu.getAsDouble();
    }
}
