package dev.weft.tls.spi.support;

import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsFailure.Kind;
import dev.weft.tls.spi.TlsVersion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The five bytes before each record (RFC 8446 section 5.1), looked at before the engine does: a few bytes of plain text look like
 * the start of a record to engines, and they name the same fault in different words.
 */
final class RecordHeader {
    private static final int LENGTH = 5;
    private static final int FIRST_TYPE = 20; // change_cipher_spec
    private static final int LAST_TYPE = 23; // application_data
    private static final int MAJOR_VERSION = 3;
    private static final int QUOTED = 60;

    private RecordHeader() {}

    static boolean isWholeRecord(ByteBuffer cipher) {
        return cipher.remaining() >= LENGTH && cipher.remaining() >= LENGTH + length(cipher);
    }

    /** Where the next record, which must be whole, ends. */
    static int end(ByteBuffer cipher) {
        return Math.min(cipher.position() + LENGTH + length(cipher), cipher.limit());
    }

    /** What is wrong with the next record, as far as it is there. */
    static Optional<TlsFailure> complaint(ByteBuffer cipher, TlsFacts facts) {
        if (!cipher.hasRemaining()) {
            return Optional.empty();
        }
        int at = cipher.position();
        int type = cipher.get(at);
        if (type < FIRST_TYPE || type > LAST_TYPE || cipher.remaining() > 1 && cipher.get(at + 1) != MAJOR_VERSION) {
            return Optional.of(new TlsFailure(Kind.NOT_TLS, "the peer sent something else than TLS: " + quote(cipher)));
        }
        if (type == HandshakeMessages.HANDSHAKE && facts != null && facts.version() != TlsVersion.TLS_1_3) {
            // Before TLS 1.3 nothing else is left to say in such a record once the handshake is done (RFC 5246 section 7.4.1).
            return Optional.of(new TlsFailure(Kind.RENEGOTIATION, "the peer asked for a renegotiation"));
        }
        if (cipher.remaining() >= LENGTH && length(cipher) > TlsEngine.BUFFER_BYTES - LENGTH) {
            return Optional.of(new TlsFailure(Kind.PROTOCOL,
                    "the peer sent a record of " + length(cipher) + " bytes, more than any may have"));
        }
        return Optional.empty();
    }

    private static int length(ByteBuffer cipher) {
        return cipher.getShort(cipher.position() + 3) & 0xffff;
    }

    private static String quote(ByteBuffer cipher) {
        var bytes = new byte[Math.min(QUOTED, cipher.remaining())];
        cipher.get(cipher.position(), bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("");
    }
}
