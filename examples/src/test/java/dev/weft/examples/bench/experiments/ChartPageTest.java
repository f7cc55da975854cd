package dev.weft.examples.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;
import org.xml.sax.helpers.DefaultHandler;

class ChartPageTest {

    private static final LineChart LINES = new LineChart("Received", "seconds", "messages",
            List.of(new LineChart.Series("mx1", new double[] {0, 1, 2, 3}, new double[] {1, 2, Double.NaN, 4}),
                    new LineChart.Series("mx2", new double[] {0, 1, 2, 3}, new double[] {4, 3, 2, 1})),
            List.of(new LineChart.Event(1.5, "burst begins")), false);
    private static final BarChart BARS = new BarChart("Time", "milliseconds", List.of("direct", "Weft"),
            List.of(new BarChart.Bars("s1", List.of(1.0, 3.0)), new BarChart.Bars("s2", List.of(2.0, Double.NaN))),
            List.of(1.0, 2.0), false);

    private static Document parse(String svg) throws Exception {
        var factory = DocumentBuilderFactory.newInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        factory.setNamespaceAware(true);
        var builder = factory.newDocumentBuilder();
        builder.setErrorHandler(new DefaultHandler()); // throws, and prints nothing
        return builder.parse(new InputSource(new StringReader(svg)));
    }

    private static List<Element> elements(Document document, String name) {
        var nodes = document.getElementsByTagNameNS("http://www.w3.org/2000/svg", name);
        var elements = new ArrayList<Element>();
        for (int i = 0; i < nodes.getLength(); i++) {
            elements.add((Element) nodes.item(i));
        }
        return elements;
    }

    private static List<String> texts(Document document) {
        return elements(document, "text").stream().map(Element::getTextContent).toList();
    }

    @Test
    void aPageHasTitleAxesAndLegend() throws Exception {
        var document = parse(ChartPage.render("All of it", "in one page", List.of(LINES, BARS)));
        assertThat(document.getDocumentElement().getLocalName()).isEqualTo("svg");
        assertThat(elements(document, "title").get(0).getTextContent()).isEqualTo("All of it");
        assertThat(texts(document)).contains("All of it", "in one page", "Received", "seconds", "messages", "mx1", "mx2",
                "burst begins", "Time", "milliseconds", "direct", "Weft", "s1", "s2");
        assertThat(elements(document, "rect").get(0).getAttribute("fill")).as("background").isEqualTo("#ffffff");
    }

    @Test
    void everythingIsInsideOfThePage() throws Exception {
        var document = parse(ChartPage.render("t", "s", List.of(LINES, BARS, LINES)));
        double width = Double.parseDouble(document.getDocumentElement().getAttribute("width"));
        double height = Double.parseDouble(document.getDocumentElement().getAttribute("height"));
        for (var name : List.of("rect", "line", "text", "circle")) {
            for (var element : elements(document, name)) {
                for (var x : List.of("x", "x1", "x2", "cx")) {
                    assertInside(element, x, width);
                }
                for (var y : List.of("y", "y1", "y2", "cy")) {
                    assertInside(element, y, height);
                }
            }
        }
    }

    private static void assertInside(Element element, String attribute, double most) {
        if (element.hasAttribute(attribute)) {
            assertThat(Double.parseDouble(element.getAttribute(attribute))).as(element.getTagName() + " " + attribute)
                    .isBetween(0.0, most);
        }
    }

    @Test
    void aGapInALineIsNotBridged() throws Exception {
        var paths = elements(parse(ChartPage.render("t", "s", List.of(LINES))), "path");
        assertThat(paths).hasSize(2);
        assertThat(paths.get(0).getAttribute("d")).matches("M[\\d.,]+ L[\\d.,]+ M[\\d.,]+");
        assertThat(paths.get(1).getAttribute("d")).matches("M[\\d.,]+( L[\\d.,]+){3}");
    }

    @Test
    void aHigherValueHasAHigherBarAndNoneHasADash() throws Exception {
        var document = parse(ChartPage.render("t", "s", List.of(BARS)));
        var bars = elements(document, "rect").stream()
                .filter(each -> Double.parseDouble(each.getAttribute("width")) > 20)
                .filter(each -> !each.getAttribute("fill").equals("#ffffff"))
                .map(each -> Double.parseDouble(each.getAttribute("height"))).toList();
        assertThat(bars).hasSize(3);
        assertThat(bars.get(1)).isCloseTo(2 * bars.get(0), within(0.2));
        assertThat(bars.get(2)).isCloseTo(3 * bars.get(0), within(0.2));
        assertThat(texts(document)).contains("–");
    }

    @Test
    void anyTextIsWellFormed() throws Exception {
        var hostile = "<&>\"'\u0001\u0000\uffff]]> é 😀 \ud800";
        var document = parse(ChartPage.render(hostile, hostile, List.of(new BarChart(hostile, hostile, List.of(hostile),
                List.of(new BarChart.Bars(hostile, List.of(1.0))), List.of(), true))));
        assertThat(texts(document).get(0)).startsWith("<&>\"'□□□]]> é 😀 ");
    }

    @Test
    void chartsWithoutValuesAreWellFormed() throws Exception {
        var nothing = List.of(Double.NaN);
        for (boolean logarithmic : List.of(true, false)) {
            var noPoints = new LineChart.Series("none", new double[0], new double[0]);
            var empty = new LineChart("t", "x", "y", List.of(noPoints), List.of(), logarithmic);
            var bars = new BarChart("t", "y", List.of("g"), List.of(new BarChart.Bars("none", nothing)), nothing, logarithmic);
            var zeros = new BarChart.Bars("zero", List.of(0.0));
            var zero = new BarChart("t", "y", List.of("g"), List.of(zeros), List.of(), logarithmic);
            var svg = ChartPage.render("t", "s", List.of(empty, bars, zero));
            parse(svg);
            assertThat(svg).doesNotContain("NaN").doesNotContain("Infinity");
        }
    }

    @Test
    void valuesThatDoNotFitTogetherAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new LineChart.Series("mx1", new double[1], new double[2]))
                .withMessageContaining("mx1 has 1 x and 2 y");
        assertThatIllegalArgumentException().isThrownBy(() -> new BarChart("t", "y", List.of("a", "b"),
                List.of(new BarChart.Bars("s1", List.of(1.0))), List.of(), false)).withMessageContaining("1 values for 2 groups");
    }

    @Test
    void theFileIsThePage(@TempDir Path directory) throws Exception {
        var file = directory.resolve("page.svg");
        ChartPage.write(file, "t", "größe", List.of(BARS));
        assertThat(Files.readString(file)).isEqualTo(ChartPage.render("t", "größe", List.of(BARS)));
    }
}
