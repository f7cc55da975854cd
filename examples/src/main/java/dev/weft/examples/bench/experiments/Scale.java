package dev.weft.examples.bench.experiments;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * An axis: which values it shows, and where its labels are.
 *
 * @param least the value at its start
 * @param most the value at its end, greater than the least
 * @param logarithmic whether equal distances are equal ratios
 * @param ticks the values with a label
 */
record Scale(double least, double most, boolean logarithmic, List<Double> ticks) {

    private static final int STEPS = 5;
    /** For names of events, and values of bars. */
    private static final double HEADROOM = 1.1;

    /** For these values, with some room above them; NaN is none, and a logarithmic scale has no zero. */
    static Scale of(DoubleStream values, boolean logarithmic) {
        var known = values.filter(value -> logarithmic ? value > 0 : !Double.isNaN(value)).summaryStatistics();
        if (!logarithmic) {
            return linear(known.getMax() * HEADROOM);
        }
        return known.getCount() == 0 ? logarithmic(1, 10) : logarithmic(known.getMin() / HEADROOM, known.getMax() * HEADROOM);
    }

    /** From zero to a round value that is the given one or a little more. */
    static Scale linear(double most) {
        double wanted = most > 0 ? most : 1;
        double step = roundUp(wanted / STEPS);
        var ticks = new ArrayList<Double>();
        int last = (int) Math.ceil(wanted / step - 1e-9);
        for (int i = 0; i <= last; i++) {
            ticks.add(i * step);
        }
        return new Scale(0, last * step, false, ticks);
    }

    /** Whole decades around the values, which are greater than zero. */
    static Scale logarithmic(double least, double most) {
        if (!(least > 0 && most >= least)) {
            throw new IllegalArgumentException("from " + least + " to " + most + ": a logarithmic scale needs values above 0");
        }
        int first = (int) Math.floor(Math.log10(least) + 1e-9);
        int last = Math.max(first + 1, (int) Math.ceil(Math.log10(most) - 1e-9));
        var ticks = new ArrayList<Double>();
        for (int decade = first; decade <= last; decade++) {
            ticks.add(Math.pow(10, decade));
        }
        return new Scale(ticks.get(0), ticks.get(ticks.size() - 1), true, ticks);
    }

    /** The next of 1, 2, 5, 10, 20, … */
    private static double roundUp(double value) {
        double decade = Math.pow(10, Math.floor(Math.log10(value)));
        for (double factor : new double[] {1, 2, 5}) {
            if (value <= factor * decade * (1 + 1e-9)) {
                return factor * decade;
            }
        }
        return 10 * decade;
    }

    /** Where a value is, 0 at the start and 1 at the end; one beyond them is at the nearer of the two. */
    double share(double value) {
        double share = logarithmic
                ? Math.log(Math.max(value, least) / least) / Math.log(most / least)
                : (value - least) / (most - least);
        return Math.max(0, Math.min(1, share));
    }

    /** A value with as many digits as tell it from its neighbours. */
    static String label(double value) {
        double size = Math.abs(value);
        int digits = size == 0 || size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        var text = String.format(Locale.ROOT, "%." + digits + "f", value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }
}
