package dev.weft.examples.bench.experiments;

import java.util.List;
import java.util.stream.Stream;

/**
 * Values side by side.
 *
 * @param groups the names below the bars
 * @param bars the series, with a value for each group
 * @param level a value for each group that is marked by a line across it, as a target is; or nothing
 * @param logarithmic whether the vertical axis is
 */
record BarChart(String title, String yTitle, List<String> groups, List<Bars> bars, List<Double> level, boolean logarithmic)
        implements Panel {

    BarChart {
        bars.forEach(each -> requireOneForEach(groups, each.values, each.name));
        if (!level.isEmpty()) {
            requireOneForEach(groups, level, "level");
        }
    }

    /**
     * A series.
     *
     * @param values NaN where there is none
     */
    record Bars(String name, List<Double> values) {}

    private static void requireOneForEach(List<String> groups, List<Double> values, String name) {
        if (values.size() != groups.size()) {
            throw new IllegalArgumentException(name + " has " + values.size() + " values for " + groups.size() + " groups");
        }
    }

    @Override
    public String xTitle() {
        return "";
    }

    /** One series needs no legend: the chart's title says what it is. */
    @Override
    public List<String> legend() {
        return bars.size() == 1 ? List.of() : bars.stream().map(Bars::name).toList();
    }

    @Override
    public Scale y() {
        return Scale.of(Stream.concat(bars.stream().flatMap(each -> each.values.stream()), level.stream())
                .mapToDouble(Double::doubleValue), logarithmic);
    }

    @Override
    public void draw(Svg svg, Area area) {
        var y = y();
        double group = area.width() / Math.max(1, groups.size());
        double bar = Math.min(60, group * 0.7 / Math.max(1, bars.size()));
        for (int g = 0; g < groups.size(); g++) {
            double middle = area.left() + group * (g + 0.5);
            double left = middle - bar * bars.size() / 2;
            for (int b = 0; b < bars.size(); b++) {
                bar(svg, area, y, bars.get(b).values.get(g), left + bar * b, bar, ChartPage.colour(b));
            }
            if (!level.isEmpty() && !Double.isNaN(level.get(g))) {
                double at = area.y(y.share(level.get(g)));
                svg.line(left - 8, at, left + bar * bars.size() + 8, at, ChartPage.INK, 1.5, "5 3");
            }
            for (int b = 0; b < bars.size(); b++) {
                label(svg, area, y, bars.get(b).values.get(g), left + bar * (b + 0.5));
            }
            svg.text(middle, area.bottom() + 18, Svg.Anchor.MIDDLE, 12, ChartPage.INK, groups.get(g));
        }
    }

    private static void bar(Svg svg, Area area, Scale y, double value, double x, double width, String colour) {
        if (!Double.isNaN(value)) {
            double top = area.y(y.share(value));
            svg.rect(x + 1, top, width - 2, area.bottom() - top, colour);
        }
    }

    private static void label(Svg svg, Area area, Scale y, double value, double x) {
        boolean known = !Double.isNaN(value);
        double top = area.y(known ? y.share(value) : 0);
        svg.label(x, top - 4, Svg.Anchor.MIDDLE, 10, ChartPage.INK, known ? Scale.label(value) : "–");
    }
}
