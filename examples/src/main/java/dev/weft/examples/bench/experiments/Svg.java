package dev.weft.examples.bench.experiments;

import java.util.Locale;

/** Writes a drawing as SVG 1.1, element by element. Lengths are pixels, the origin is at the top left. */
final class Svg {

    /** Where a text stands in relation to its point. */
    enum Anchor {
        START, MIDDLE, END
    }

    private final StringBuilder out = new StringBuilder();

    /** Begins a drawing with a light background. */
    Svg(double width, double height, String title) {
        out.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        out.append(format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1$s\" height=\"%2$s\" viewBox=\"0 0 %1$s %2$s\""
                + " role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n", number(width), number(height)));
        out.append("<title>").append(escape(title)).append("</title>\n");
        rect(0, 0, width, height, "#ffffff");
    }

    void rect(double x, double y, double width, double height, String fill) {
        out.append(format("<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>\n",
                number(x), number(y), number(width), number(height), escape(fill)));
    }

    /** A straight line; the dash is a pattern of lengths, or empty for none. */
    void line(double x1, double y1, double x2, double y2, String stroke, double width, String dash) {
        out.append(format("<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n",
                number(x1), number(y1), number(x2), number(y2), escape(stroke), number(width), dashes(dash)));
    }

    /** A curve, by its commands ({@code M x,y L x,y}). */
    void path(String commands, String stroke, double width, String dash) {
        out.append(format("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\"%s/>\n",
                escape(commands), escape(stroke), number(width), dashes(dash)));
    }

    void circle(double x, double y, double radius, String fill) {
        out.append(format("<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"%s\"/>\n",
                number(x), number(y), number(radius), escape(fill)));
    }

    void text(double x, double y, Anchor anchor, double size, String fill, String text) {
        text(format("x=\"%s\" y=\"%s\"", number(x), number(y)), anchor, size, fill, text);
    }

    /** A text that stays readable on lines. */
    void label(double x, double y, Anchor anchor, double size, String fill, String text) {
        text(format("x=\"%s\" y=\"%s\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"", number(x), number(y)),
                anchor, size, fill, text);
    }

    /** A text that reads upwards. */
    void upwards(double x, double y, double size, String fill, String text) {
        text(format("transform=\"translate(%s %s) rotate(-90)\"", number(x), number(y)), Anchor.MIDDLE, size, fill, text);
    }

    private void text(String place, Anchor anchor, double size, String fill, String text) {
        out.append(format("<text %s text-anchor=\"%s\" font-size=\"%s\" fill=\"%s\">%s</text>\n", place,
                anchor.name().toLowerCase(Locale.ROOT), number(size), escape(fill), escape(text)));
    }

    /** The whole of it. */
    String document() {
        return out + "</svg>\n";
    }

    /** Tenths are finer than any screen. */
    static String number(double value) {
        return format("%.1f", value).replace(".0", "");
    }

    private static String dashes(String dash) {
        return dash.isEmpty() ? "" : " stroke-dasharray=\"" + escape(dash) + '"';
    }

    /** As character data or in an attribute. XML 1.0 has no way to write most control characters, so they become a blank box. */
    static String escape(String text) {
        var escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                default -> escaped.appendCodePoint(allowed(c) ? c : 0x25a1);
            }
        });
        return escaped.toString();
    }

    /** XML 1.0, section 2.2. */
    private static boolean allowed(int c) {
        return c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
