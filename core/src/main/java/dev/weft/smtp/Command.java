package dev.weft.smtp;

import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One command line (RFC 5321 §4.1.1). It is kept octet for octet as it came; what it means is looked up when asked for, with
 * tolerance for any case and for odd blanks. Immutable.
 */
public final class Command {
    private static final Verb[] VERBS = Arrays.stream(Verb.values()).filter(v -> v != Verb.UNKNOWN).toArray(Verb[]::new);
    private static final long[] VERB_KEYS = Arrays.stream(VERBS).mapToLong(v -> key(v.name())).toArray();

    private final byte[] bytes;
    private final Verb verb;
    private final int verbStart;
    private final int verbEnd;
    /** Looked up at the first question. Harmless when two threads do it at once: both find the same. */
    private EnvelopeArgument envelope;

    private Command(byte[] bytes) {
        this.bytes = bytes;
        this.verbStart = Octets.skipBlanks(bytes, 0, textEnd());
        this.verbEnd = Octets.skipToBlank(bytes, verbStart, textEnd());
        this.verb = verb(bytes, verbStart, verbEnd);
    }

    /** Without a copy: the array must end in CRLF, hold no other CR or LF, and belong to the command from now on. */
    static Command owning(byte[] line) {
        return new Command(line);
    }

    /**
     * Takes a command from the wire. Odd syntax is no error here: the verb is then {@link Verb#UNKNOWN}, or the path
     * {@link Path.Unparsed}.
     *
     * @param line the octets, with or without the CRLF at their end
     * @return the command
     * @throws IllegalArgumentException if a CR or LF occurs anywhere else
     */
    public static Command parse(byte[] line) {
        int end = line.length;
        if (end >= 2 && line[end - 2] == Octets.CR && line[end - 1] == Octets.LF) {
            end -= 2;
        }
        for (int i = 0; i < end; i++) {
            if (line[i] == Octets.CR || line[i] == Octets.LF) {
                throw new IllegalArgumentException("\"" + Octets.escape(Octets.decode(line, 0, line.length))
                        + "\" holds a CR or LF before its end: pass one line");
            }
        }
        var bytes = Arrays.copyOf(line, end + 2);
        bytes[end] = Octets.CR;
        bytes[end + 1] = Octets.LF;
        return new Command(bytes);
    }

    /**
     * Makes a command from text, for hosts.
     *
     * @param text one line, without its end; sent as UTF-8
     * @return the command
     * @throws IllegalArgumentException if the text holds a control character
     */
    public static Command of(String text) {
        Octets.refuseControls("command", text, "a command is one line, without its CRLF");
        return parse(Octets.encode(text, StandardCharsets.UTF_8));
    }

    private static Verb verb(byte[] bytes, int from, int end) {
        if (end - from < 4 || end - from > 8) {
            return Verb.UNKNOWN;
        }
        long key = 0;
        for (int i = from; i < end; i++) {
            key = key << 8 | Octets.upperCase(bytes[i]) & 0xff;
        }
        for (int i = 0; i < VERB_KEYS.length; i++) {
            if (VERB_KEYS[i] == key) {
                return VERBS[i];
            }
        }
        return Verb.UNKNOWN;
    }

    private static long key(String name) {
        long key = 0;
        for (int i = 0; i < name.length(); i++) {
            key = key << 8 | name.charAt(i);
        }
        return key;
    }

    /**
     * The verb, if it is one that a proxy knows and a blank or the end of the line follows it.
     *
     * @return the verb
     */
    public Verb verb() {
        return verb;
    }

    /**
     * The first word as written.
     *
     * @return decoded for viewing, in its own case
     */
    public String verbText() {
        return new String(bytes, verbStart, verbEnd - verbStart, charset());
    }

    /**
     * What follows the first word.
     *
     * @return decoded for viewing, without the blanks around it
     */
    public String argument() {
        int from = Octets.skipBlanks(bytes, verbEnd, textEnd());
        int end = Octets.trimEnd(bytes, from, textEnd());
        return new String(bytes, from, end - from, charset());
    }

    /**
     * The octets for the wire.
     *
     * @return a copy, as received, CRLF at the end
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * The octets for the wire, without a copy.
     *
     * @return a new read-only view
     */
    public ByteBuffer asBuffer() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    /**
     * The number of octets.
     *
     * @return with the CRLF
     */
    public int length() {
        return bytes.length;
    }

    /**
     * The line as text. Secrets are in it: see {@link #masked()}.
     *
     * @return decoded (UTF-8 if it is that, else ISO-8859-1), without the CRLF
     */
    public String text() {
        return new String(bytes, 0, textEnd(), charset());
    }

    /**
     * The path of MAIL or RCPT.
     *
     * @return the path; {@link Path.Unparsed} if it can't be understood or if this is another command
     */
    public Path path() {
        return envelope().path();
    }

    /**
     * The parameters of MAIL or RCPT.
     *
     * @return raw and in their order; empty for other commands
     */
    public List<Parameter> parameters() {
        return envelope().parameters();
    }

    /**
     * The value of a parameter of MAIL or RCPT.
     *
     * @param keyword in any case
     * @return its first value; an empty text if it stands there without one; empty if it does not stand there
     */
    public Optional<String> parameter(String keyword) {
        return parameters().stream()
                .filter(p -> p.keyword().equalsIgnoreCase(keyword))
                .findFirst()
                .map(p -> p.value().orElse(""));
    }

    /**
     * The same command with another path. Verb, blanks and parameters keep their octets.
     *
     * @param path the new path
     * @return the new command
     * @throws IllegalArgumentException if the path can't stand in a command
     * @throws IllegalStateException if this is not MAIL or RCPT, or if where its path ends isn't clear
     */
    public Command withPath(Path path) {
        return envelope().withPath(this, path);
    }

    /**
     * The same command with other parameters. Verb and path keep their octets.
     *
     * @param parameters all of them, in their order
     * @return the new command
     * @throws IllegalArgumentException if a parameter can't be encoded
     * @throws IllegalStateException if this is not MAIL or RCPT, or if where its path ends isn't clear
     */
    public Command withParameters(List<Parameter> parameters) {
        return envelope().withParameters(this, parameters);
    }

    /**
     * The size of a chunk (RFC 3030 §2).
     *
     * @return the octets that follow a BDAT command; empty if this is another command, or if it isn't exactly a number, perhaps
     *         followed by {@code LAST}
     */
    public OptionalLong chunkSize() {
        return ChunkArgument.size(this);
    }

    /**
     * Whether a chunk is the message's last (RFC 3030 §2).
     *
     * @return true for a BDAT command that is well formed and says {@code LAST}
     */
    public boolean lastChunk() {
        return ChunkArgument.isLast(this);
    }

    /**
     * The command without its secrets.
     *
     * @return for AUTH with an initial response, the same with {@code ***} in its place; else this
     */
    public Command masked() {
        return Masking.mask(this);
    }

    /** Without a copy, for this package. */
    byte[] raw() {
        return bytes;
    }

    int verbStart() {
        return verbStart;
    }

    int verbEnd() {
        return verbEnd;
    }

    int textEnd() {
        return bytes.length - 2;
    }

    Charset charset() {
        return Octets.charset(bytes, 0, textEnd());
    }

    private EnvelopeArgument envelope() {
        var found = envelope;
        if (found == null) {
            found = EnvelopeArgument.parse(this);
            envelope = found;
        }
        return found;
    }

    /**
     * Two commands are equal if all their octets are.
     *
     * @param other anything
     * @return whether it is the same command
     */
    @Override
    public boolean equals(Object other) {
        return other instanceof Command command && Arrays.equals(bytes, command.bytes);
    }

    /**
     * By the octets.
     *
     * @return the hash code
     */
    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /**
     * For logs: masked, control characters escaped.
     *
     * @return one printable line
     */
    @Override
    public String toString() {
        return Octets.escape(masked().text());
    }
}
