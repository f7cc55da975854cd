package dev.weft.examples.bench.experiments;

/** The rectangle inside of a chart's axes, in pixels. */
record Area(double left, double top, double width, double height) {

    /** The x of a share of the width. */
    double x(double share) {
        return left + share * width;
    }

    /** The y of a share of the height, from below. */
    double y(double share) {
        return bottom() - share * height;
    }

    double right() {
        return left + width;
    }

    double bottom() {
        return top + height;
    }
}
