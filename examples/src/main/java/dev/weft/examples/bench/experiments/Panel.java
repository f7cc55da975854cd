package dev.weft.examples.bench.experiments;

import java.util.List;

/** One chart of a page: what differs between lines and bars. */
interface Panel {

    /** What it shows. */
    String title();

    /** The vertical axis' words, with the unit. */
    String yTitle();

    /** The words below the horizontal axis; may be empty. */
    String xTitle();

    /** The names of the colours in the legend, in their order. */
    List<String> legend();

    /** The vertical axis. */
    Scale y();

    /** Draws what is inside of the axes, and the horizontal axis' labels. */
    void draw(Svg svg, Area area);
}
