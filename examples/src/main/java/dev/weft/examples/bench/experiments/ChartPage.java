package dev.weft.examples.bench.experiments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Charts below one another, with a title: one file. */
final class ChartPage {

    static final String INK = "#222222";
    static final String FAINT = "#666666";
    private static final String GRID = "#e4e4e4";
    /** Told apart with any kind of colour vision. */
    private static final List<String> COLOURS = List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9");

    private static final double WIDTH = 820;
    private static final double HEAD = 58;
    private static final double PANEL = 290;
    private static final double LEFT = 72;
    private static final double RIGHT = 24;
    private static final double ABOVE = 44;
    private static final double BELOW = 46;

    private ChartPage() {}

    /** The colour of the series with that number, from 0. */
    static String colour(int series) {
        return COLOURS.get(series % COLOURS.size());
    }

    static void write(Path file, String title, String subtitle, List<? extends Panel> panels) throws IOException {
        Files.writeString(file, render(title, subtitle, panels));
    }

    static String render(String title, String subtitle, List<? extends Panel> panels) {
        var svg = new Svg(WIDTH, HEAD + PANEL * panels.size(), title);
        svg.text(16, 26, Svg.Anchor.START, 17, INK, title);
        svg.text(16, 46, Svg.Anchor.START, 12, FAINT, subtitle);
        for (int i = 0; i < panels.size(); i++) {
            double top = HEAD + PANEL * i;
            var area = new Area(LEFT, top + ABOVE, WIDTH - LEFT - RIGHT, PANEL - ABOVE - BELOW);
            frame(svg, panels.get(i), area);
            panels.get(i).draw(svg, area);
        }
        return svg.document();
    }

    private static void frame(Svg svg, Panel panel, Area area) {
        svg.text(area.left(), area.top() - 26, Svg.Anchor.START, 13, INK, panel.title());
        legend(svg, panel.legend(), area);
        for (double tick : panel.y().ticks()) {
            double y = area.y(panel.y().share(tick));
            svg.line(area.left(), y, area.right(), y, GRID, 1, "");
            svg.text(area.left() - 8, y + 4, Svg.Anchor.END, 11, FAINT, Scale.label(tick));
        }
        svg.line(area.left(), area.top(), area.left(), area.bottom(), INK, 1, "");
        svg.line(area.left(), area.bottom(), area.right(), area.bottom(), INK, 1, "");
        svg.upwards(20, area.top() + area.height() / 2, 12, INK, panel.yTitle());
        svg.text(area.x(0.5), area.bottom() + 36, Svg.Anchor.MIDDLE, 12, INK, panel.xTitle());
    }

    /** The width of a text can only be guessed: wide letters are about as frequent as narrow ones. */
    private static void legend(Svg svg, List<String> names, Area area) {
        double x = area.left();
        for (int i = 0; i < names.size(); i++) {
            svg.rect(x, area.top() - 18, 10, 10, colour(i));
            svg.text(x + 15, area.top() - 9, Svg.Anchor.START, 11, INK, names.get(i));
            x += 15 + names.get(i).length() * 6 + 18;
        }
    }
}
