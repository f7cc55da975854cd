package dev.weft.smtp;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What follows MAIL or RCPT: the path with where it stands in the line, and the parameters.
 *
 * <p>The line is decoded as a whole, in one charset, and what is put in is encoded in that same one: so a part of the old path
 * that a host takes over into a new one gets its old octets back, even where they are no UTF-8.
 */
record EnvelopeArgument(Path path, int pathStart, int pathEnd, List<Parameter> parameters) {

    static EnvelopeArgument parse(Command command) {
        var line = command.raw();
        int end = command.textEnd();
        int start = pathStart(command);
        if (start < 0 || holdsControls(line, end)) {
            return new EnvelopeArgument(new Path.Unparsed(command.argument()), -1, -1, List.of());
        }
        var charset = command.charset();
        int pathEnd = PathSyntax.end(line, start, end);
        // What is glued to the bracket belongs to nobody: receivers differ on it.
        if (pathEnd < 0 || pathEnd < end && !Octets.isBlank(line[pathEnd])) {
            var rest = new String(line, start, Octets.trimEnd(line, start, end) - start, charset);
            return new EnvelopeArgument(new Path.Unparsed(rest), -1, -1, List.of());
        }
        var path = PathSyntax.parse(new String(line, start, pathEnd - start, charset));
        return new EnvelopeArgument(path, start, pathEnd, parameters(line, pathEnd, end, charset));
    }

    /** Behind {@code FROM:} or {@code TO:} and the blanks that some put around the colon; -1 if it isn't there. */
    private static int pathStart(Command command) {
        var word = switch (command.verb()) {
            case MAIL -> "FROM";
            case RCPT -> "TO";
            default -> null;
        };
        if (word == null) {
            return -1;
        }
        var line = command.raw();
        int end = command.textEnd();
        int from = Octets.skipBlanks(line, command.verbEnd(), end);
        int wordEnd = Math.min(from + word.length(), end);
        int colon = Octets.skipBlanks(line, wordEnd, end);
        if (!Octets.equalsIgnoreCase(line, from, wordEnd, word) || colon == end || line[colon] != ':') {
            return -1;
        }
        return Octets.skipBlanks(line, colon + 1, end);
    }

    private static boolean holdsControls(byte[] line, int end) {
        for (int i = 0; i < end; i++) {
            if (Octets.isAsciiControl(line[i]) && line[i] != '\t') {
                return true;
            }
        }
        return false;
    }

    private static List<Parameter> parameters(byte[] line, int from, int end, Charset charset) {
        int start = Octets.skipBlanks(line, from, end);
        if (start == end) {
            return List.of();
        }
        var parameters = new ArrayList<Parameter>();
        while (start < end) {
            int wordEnd = Octets.skipToBlank(line, start, end);
            parameters.add(Parameter.parse(new String(line, start, wordEnd - start, charset)));
            start = Octets.skipBlanks(line, wordEnd, end);
        }
        return List.copyOf(parameters);
    }

    Command withPath(Command command, Path replacement) {
        requirePlace(command);
        if (replacement.equals(path)) {
            return command;
        }
        if (replacement instanceof Path.Unparsed) {
            throw new IllegalArgumentException("\"" + replacement + "\" was not understood as a path: make one with Path.of");
        }
        var line = command.raw();
        var out = new ByteArrayOutputStream(line.length + 64);
        out.write(line, 0, pathStart);
        out.writeBytes(encode(replacement.toString(), command.charset()));
        out.write(line, pathEnd, line.length - pathEnd);
        var result = Command.parse(out.toByteArray());
        // Whatever a host put into the record's parts, it must read back as that path and touch nothing else.
        if (!result.path().equals(replacement)) {
            throw new IllegalArgumentException("\"" + Octets.escape(replacement.toString())
                    + "\" cannot stand in a command as it is: make the path with Path.of, which says what is wrong");
        }
        return result;
    }

    Command withParameters(Command command, List<Parameter> replacement) {
        requirePlace(command);
        var line = command.raw();
        var out = new ByteArrayOutputStream(line.length + 64);
        out.write(line, 0, pathEnd);
        for (var parameter : replacement) {
            out.write(' ');
            out.writeBytes(encode(parameter.text(), command.charset()));
        }
        return Command.parse(out.toByteArray());
    }

    private void requirePlace(Command command) {
        if (pathStart < 0) {
            throw new IllegalStateException("\"" + command
                    + "\" has no path that was understood, so nothing can be put in its place: make a new one with Command.of");
        }
    }

    private static byte[] encode(String text, Charset charset) {
        return Octets.encode(text, charset.newEncoder().canEncode(text) ? charset : StandardCharsets.UTF_8);
    }
}
