package dev.weft.relay;

import dev.weft.smtp.Header;
import dev.weft.smtp.Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What is to be changed in a message that is held. What is not named here stays as it is, octet for octet. Immutable: each method
 * gives a changed copy, and the changes are made in the order in which they were asked for.
 */
public final class MessageChange {

    private static final MessageChange NONE = new MessageChange(List.of(), null);

    private final List<UnaryOperator<Headers>> edits;
    private final MessageBody body;

    private MessageChange(List<UnaryOperator<Headers>> edits, MessageBody body) {
        this.edits = edits;
        this.body = body;
    }

    /**
     * No change, to begin with.
     *
     * @return the change that changes nothing
     */
    public static MessageChange none() {
        return NONE;
    }

    /**
     * Puts fields before all others.
     *
     * @param headers topmost first
     * @return the changed copy
     */
    public MessageChange prepend(Header... headers) {
        return prepend(List.of(headers));
    }

    /**
     * Puts fields before all others.
     *
     * @param headers topmost first
     * @return the changed copy
     */
    public MessageChange prepend(List<Header> headers) {
        var added = List.copyOf(headers);
        return added.isEmpty() ? this : edit(all -> all.prepend(added));
    }

    /**
     * Puts fields in the place of the first of a name, and takes its others out. If there is none they come last.
     *
     * @param name in any case
     * @param headers the new fields
     * @return the changed copy
     */
    public MessageChange replace(String name, Header... headers) {
        Objects.requireNonNull(name, "name");
        var replacement = List.of(headers);
        return edit(all -> all.replace(name, replacement));
    }

    /**
     * Takes all fields of a name out.
     *
     * @param name in any case
     * @return the changed copy
     */
    public MessageChange remove(String name) {
        Objects.requireNonNull(name, "name");
        return edit(all -> all.without(name));
    }

    /**
     * Puts another body in the place of the present one. Needs {@link MessageUse#replace}.
     *
     * @param replacement is read when the server is ready for it
     * @return the changed copy
     */
    public MessageChange body(MessageBody replacement) {
        return new MessageChange(edits, Objects.requireNonNull(replacement, "replacement"));
    }

    /**
     * These changes, and others after them.
     *
     * @param later made to what these leave
     * @return both
     */
    public MessageChange then(MessageChange later) {
        var both = new ArrayList<>(edits);
        both.addAll(later.edits);
        return new MessageChange(List.copyOf(both), later.body != null ? later.body : body);
    }

    /**
     * Whether nothing is changed.
     *
     * @return true for {@link #none()}
     */
    public boolean isNone() {
        return edits.isEmpty() && body == null;
    }

    /**
     * Makes the changes to a header.
     *
     * @param headers the present fields
     * @return the changed ones
     */
    public Headers apply(Headers headers) {
        var changed = headers;
        for (var edit : edits) {
            changed = edit.apply(changed);
        }
        return changed;
    }

    /**
     * The body that takes the place of the present one.
     *
     * @return the body, or empty if the present one stays
     */
    public Optional<MessageBody> replacedBody() {
        return Optional.ofNullable(body);
    }

    private MessageChange edit(UnaryOperator<Headers> edit) {
        var more = new ArrayList<>(edits);
        more.add(edit);
        return new MessageChange(List.copyOf(more), body);
    }
}
