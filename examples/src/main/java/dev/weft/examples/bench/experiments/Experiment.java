package dev.weft.examples.bench.experiments;

import java.io.IOException;

/** One of the three: it tries each contender, and then tells how they did. */
interface Experiment {

    /** What it shows, and what its figures mean, in a few lines. */
    String description();

    /**
     * Tries a contender.
     *
     * @return what was found, in a few words
     */
    String attempt(Way way) throws IOException, InterruptedException, NotAvailableException;

    /** Prints the tables and writes the charts of all that were tried. */
    void report(Console console) throws IOException;
}
