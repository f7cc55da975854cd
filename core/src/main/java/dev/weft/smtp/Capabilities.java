package dev.weft.smtp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a server offers in its answer to EHLO (RFC 5321 §4.1.1.1). Lines keep their octets and their order, whatever is dropped or
 * added around them. An odd line is no error: its keyword is empty. Immutable.
 */
public final class Capabilities {
    private final int code;
    private final byte[] greeting;
    private final List<CapabilityLine> lines;

    private Capabilities(int code, byte[] greeting, List<CapabilityLine> lines) {
        this.code = code;
        this.greeting = greeting;
        this.lines = List.copyOf(lines);
    }

    /**
     * Reads an answer to EHLO. Several SIZE lines become one, the smallest that is not zero.
     *
     * @param ehloReply a positive reply
     * @return what it offers
     * @throws IllegalArgumentException if the reply is not positive
     */
    public static Capabilities parse(Reply ehloReply) {
        if (!ehloReply.isPositive()) {
            throw new IllegalArgumentException("\"" + ehloReply + "\" offers nothing: ask Reply.isPositive() first");
        }
        var wire = ehloReply.raw();
        var lines = new ArrayList<CapabilityLine>();
        byte[] greeting = null;
        for (int start = 0; start < wire.length; start = Reply.lineEnd(wire, start)) {
            var text = Arrays.copyOfRange(wire, Reply.textStart(wire, start), Reply.textEnd(wire, start));
            if (greeting == null) {
                greeting = text;
            } else {
                lines.add(CapabilityLine.parse(text));
            }
        }
        return new Capabilities(ehloReply.code(), greeting, withOneSize(lines));
    }

    /**
     * Makes an answer of one's own.
     *
     * @param greeting the text of the first line: a domain, perhaps followed by a word to the client
     * @param lines the keyword lines
     * @return the capabilities
     * @throws IllegalArgumentException if a text can't stand in a reply
     */
    public static Capabilities of(String greeting, String... lines) {
        var made = parse(Reply.plain(250, greeting));
        for (var line : lines) {
            made = made.with(line);
        }
        return made;
    }

    private static List<CapabilityLine> withOneSize(List<CapabilityLine> lines) {
        CapabilityLine smallest = null;
        for (var line : lines) {
            if (line.keyword().equals("SIZE") && (smallest == null || line.size() < smallest.size())) {
                smallest = line;
            }
        }
        return smallest == null ? lines : replace(lines, smallest);
    }

    /** Puts the line in the place of the first with its keyword, if there is one, and drops the others. */
    private static List<CapabilityLine> replace(List<CapabilityLine> lines, CapabilityLine replacement) {
        var result = new ArrayList<CapabilityLine>();
        boolean placed = false;
        for (var line : lines) {
            if (!line.keyword().equals(replacement.keyword())) {
                result.add(line);
            } else if (!placed) {
                result.add(replacement);
                placed = true;
            }
        }
        return result;
    }

    /**
     * Whether a keyword is offered.
     *
     * @param keyword in any case
     * @return true if a line has it
     */
    public boolean offers(String keyword) {
        return find(keyword).isPresent();
    }

    /**
     * What follows a keyword.
     *
     * @param keyword in any case
     * @return the rest of its first line, without blanks around it, perhaps an empty text; empty if the keyword is not offered
     */
    public Optional<String> parameter(String keyword) {
        return find(keyword).map(CapabilityLine::parameter);
    }

    private Optional<CapabilityLine> find(String keyword) {
        var upper = keyword.toUpperCase(Locale.ROOT);
        return upper.isEmpty() ? Optional.empty() : lines.stream().filter(line -> line.keyword().equals(upper)).findFirst();
    }

    /**
     * All keywords.
     *
     * @return in upper case and in order; an odd line has an empty one
     */
    public List<String> keywords() {
        return lines.stream().map(CapabilityLine::keyword).toList();
    }

    /**
     * The first line's text.
     *
     * @return decoded for viewing
     */
    public String greeting() {
        return Octets.decode(greeting, 0, greeting.length);
    }

    /**
     * The largest message that is taken (RFC 1870 §3).
     *
     * @return its octets; empty if SIZE is not offered or names no fixed limit
     */
    public OptionalLong size() {
        var size = find("SIZE").map(CapabilityLine::size).orElse(CapabilityLine.NO_LIMIT);
        return size == CapabilityLine.NO_LIMIT ? OptionalLong.empty() : OptionalLong.of(size);
    }

    /**
     * Whether a client that was promised one thing can be given another without noticing. Keywords, the mechanisms of AUTH and
     * SIZE are compared, no other parameters.
     *
     * @param promised what the client was told
     * @return true if all of it is offered here too, and no smaller SIZE
     */
    public boolean sameOrMore(Capabilities promised) {
        var promisedKeywords = new HashSet<>(promised.keywords());
        promisedKeywords.remove("");
        long limit = size().orElse(CapabilityLine.NO_LIMIT);
        return keywords().containsAll(promisedKeywords)
                && mechanisms().containsAll(promised.mechanisms())
                && limit >= promised.size().orElse(CapabilityLine.NO_LIMIT);
    }

    private Set<String> mechanisms() {
        var mechanisms = new HashSet<String>();
        for (var line : lines) {
            if (line.keyword().equals("AUTH")) {
                mechanisms.addAll(List.of(line.parameter().toUpperCase(Locale.ROOT).split("[ \t]+")));
            }
        }
        mechanisms.remove("");
        return mechanisms;
    }

    /**
     * A part of these.
     *
     * @param keyword asked for each keyword, in upper case; an odd line has an empty one
     * @return what is left
     */
    public Capabilities keep(Predicate<String> keyword) {
        return new Capabilities(code, greeting, lines.stream().filter(line -> keyword.test(line.keyword())).toList());
    }

    /**
     * These without some.
     *
     * @param keywords in any case
     * @return what is left
     */
    public Capabilities without(String... keywords) {
        var dropped = new HashSet<String>();
        for (var keyword : keywords) {
            dropped.add(keyword.toUpperCase(Locale.ROOT));
        }
        return keep(keyword -> !dropped.contains(keyword));
    }

    /**
     * The same in other words of greeting.
     *
     * @param text the text of the first line: a domain, perhaps followed by a word to the client
     * @return the changed copy
     * @throws IllegalArgumentException if the text can't stand in a reply
     */
    public Capabilities greetedBy(String text) {
        Reply.plain(code, text);
        return new Capabilities(code, Octets.encode(text, StandardCharsets.UTF_8), lines);
    }

    /**
     * These and one more. A line with the same keyword gives up its place, and its doubles go.
     *
     * @param line keyword and parameters, such as {@code SIZE 1000}
     * @return all of them
     * @throws IllegalArgumentException if the line has no keyword or can't stand in a reply
     */
    public Capabilities with(String line) {
        Reply.plain(250, line);
        var added = CapabilityLine.parse(Octets.encode(line, StandardCharsets.UTF_8));
        if (added.keyword().isEmpty()) {
            throw new IllegalArgumentException("\"" + line
                    + "\" does not begin with a keyword: letters, digits and hyphens, then a"
                    + " blank or the end (RFC 5321 §4.1.1.1)");
        }
        var result = new ArrayList<>(replace(lines, added));
        if (!offers(added.keyword())) {
            result.add(added);
        }
        return new Capabilities(code, greeting, result);
    }

    /**
     * The answer to give to a client.
     *
     * @return a reply with the code of the first one; what stands between code and text follows from the line's place
     */
    public Reply toReply() {
        var out = new ByteArrayOutputStream(256);
        writeLine(out, lines.isEmpty(), greeting);
        for (int i = 0; i < lines.size(); i++) {
            writeLine(out, i == lines.size() - 1, lines.get(i).bytes());
        }
        return Reply.owning(out.toByteArray());
    }

    private void writeLine(ByteArrayOutputStream out, boolean last, byte[] text) {
        out.writeBytes(Integer.toString(code).getBytes(StandardCharsets.US_ASCII));
        out.write(last ? ' ' : '-');
        out.writeBytes(text);
        out.write(Octets.CR);
        out.write(Octets.LF);
    }

    /**
     * Two are equal if they make the same reply.
     *
     * @param other anything
     * @return whether it offers the same in the same words
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Capabilities capabilities && toReply().equals(capabilities.toReply());
    }

    /**
     * By the reply.
     *
     * @return the hash code
     */
    @Override
    public int hashCode() {
        return toReply().hashCode();
    }

    /**
     * For logs.
     *
     * @return the reply as one printable line
     */
    @Override
    public String toString() {
        return toReply().toString();
    }
}
