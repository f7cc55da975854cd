package dev.weft.session;

import dev.weft.relay.HeldMessage;
import dev.weft.relay.MessageChange;
import dev.weft.smtp.Headers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.util.OptionalLong;

/** A held message as a judge sees it: with the changes of those before. */
final class HeldView implements HeldMessage {

    private static final byte[] CRLF = {'\r', '\n'};

    private final MessageStore.Kept kept;
    private final Headers original;
    private final long size;
    private final MessageChange change;
    private final Headers headers;

    HeldView(MessageStore.Kept kept, Headers original, long size) {
        this(kept, original, size, MessageChange.none());
    }

    private HeldView(MessageStore.Kept kept, Headers original, long size, MessageChange change) {
        this.kept = kept;
        this.original = original;
        this.size = size;
        this.change = change;
        this.headers = change.apply(original);
    }

    HeldView changed(MessageChange present) {
        return present.isNone() ? this : new HeldView(kept, original, size, present);
    }

    Headers original() {
        return original;
    }

    @Override
    public Headers headers() {
        return headers;
    }

    @Override
    public OptionalLong size() {
        return change.replacedBody().isPresent()
                ? OptionalLong.empty()
                : OptionalLong.of(size - original.length() + headers.length());
    }

    @Override
    public InputStream open() throws IOException {
        if (change.isNone()) {
            return kept.open();
        }
        var header = new ByteArrayInputStream(headers.bytes());
        var replaced = change.replacedBody();
        if (replaced.isPresent()) {
            return new SequenceInputStream(header, new SequenceInputStream(new ByteArrayInputStream(CRLF), replaced.get().open()));
        }
        var body = kept.open();
        body.skipNBytes(original.length());
        return new SequenceInputStream(header, body);
    }
}
