package dev.weft.examples.bench.experiments;

import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Values over time.
 *
 * @param series at least one with a value
 * @param events moments with a name
 * @param logarithmic whether the vertical axis is
 */
record LineChart(String title, String xTitle, String yTitle, List<Series> series, List<Event> events, boolean logarithmic)
        implements Panel {

    /**
     * A line.
     *
     * @param x in ascending order
     * @param y as many; NaN where there is no value, which leaves a gap
     */
    record Series(String name, double[] x, double[] y) {
        Series {
            if (x.length != y.length) {
                throw new IllegalArgumentException(name + " has " + x.length + " x and " + y.length + " y: give as many of both");
            }
        }
    }

    /** A moment with a name. */
    record Event(double x, String name) {}

    private static final int MOST_DOTS = 80;
    private static final List<String> DASHES = List.of("", "6 3", "2 2", "8 3 2 3");

    @Override
    public List<String> legend() {
        return series.stream().map(Series::name).toList();
    }

    @Override
    public Scale y() {
        return Scale.of(series.stream().flatMapToDouble(each -> DoubleStream.of(each.y)), logarithmic);
    }

    @Override
    public void draw(Svg svg, Area area) {
        var moments = DoubleStream.concat(series.stream().flatMapToDouble(each -> DoubleStream.of(each.x)),
                events.stream().mapToDouble(Event::x));
        var x = Scale.linear(moments.max().orElse(1));
        for (double tick : x.ticks()) {
            double at = area.x(x.share(tick));
            svg.line(at, area.bottom(), at, area.bottom() + 4, ChartPage.INK, 1, "");
            svg.text(at, area.bottom() + 18, Svg.Anchor.MIDDLE, 11, ChartPage.FAINT, Scale.label(tick));
        }
        for (var event : events) {
            double at = area.x(x.share(event.x));
            svg.line(at, area.top(), at, area.bottom(), ChartPage.FAINT, 1, "4 3");
            svg.label(at + 5, area.top() + 12, Svg.Anchor.START, 11, ChartPage.FAINT, event.name);
        }
        var y = y();
        for (int i = 0; i < series.size(); i++) {
            draw(svg, area, series.get(i), i, x, y);
        }
    }

    /** A value between two gaps makes no line: so each has a dot as well, unless there are too many. */
    private static void draw(Svg svg, Area area, Series line, int number, Scale x, Scale y) {
        var commands = new StringBuilder();
        boolean drawing = false;
        for (int i = 0; i < line.x.length; i++) {
            if (Double.isNaN(line.y[i])) {
                drawing = false;
                continue;
            }
            double px = area.x(x.share(line.x[i]));
            double py = area.y(y.share(line.y[i]));
            commands.append(drawing ? 'L' : 'M').append(Svg.number(px)).append(',').append(Svg.number(py)).append(' ');
            drawing = true;
            if (line.x.length <= MOST_DOTS) {
                svg.circle(px, py, 2, ChartPage.colour(number));
            }
        }
        if (!commands.isEmpty()) {
            svg.path(commands.toString().strip(), ChartPage.colour(number), 1.8, DASHES.get(number % DASHES.size()));
        }
    }
}
