package dev.weft.examples.bench.experiments;

import java.util.ArrayList;
import java.util.List;

/** Rows of text under a head, aligned: the first column to the left, figures to the right, other columns to the left. */
final class TextTable {

    private final List<List<String>> rows = new ArrayList<>();

    TextTable(String... head) {
        rows.add(List.of(head));
    }

    void row(String... cells) {
        if (cells.length != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    "a row of " + cells.length + " cells in a table of " + rows.get(0).size() + " columns");
        }
        rows.add(List.of(cells));
    }

    List<String> lines() {
        int columns = rows.get(0).size();
        var lines = new ArrayList<String>();
        for (int r = 0; r < rows.size(); r++) {
            var line = new StringBuilder();
            for (int c = 0; c < columns; c++) {
                var cell = rows.get(r).get(c);
                var blanks = " ".repeat(width(c) - cell.length());
                line.append(c == 0 ? "" : "  ").append(c > 0 && figures(c) ? blanks + cell : cell + blanks);
            }
            lines.add(line.toString().stripTrailing());
            if (r == 0) {
                lines.add("-".repeat(width()));
            }
        }
        return lines;
    }

    private int width() {
        int width = -2;
        for (int c = 0; c < rows.get(0).size(); c++) {
            width += width(c) + 2;
        }
        return width;
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }

    private boolean figures(int column) {
        return rows.stream().skip(1).map(row -> row.get(column)).allMatch(cell -> cell.matches("[-+≥<]? ?[\\d.,]+( ×)?|–|"));
    }
}
