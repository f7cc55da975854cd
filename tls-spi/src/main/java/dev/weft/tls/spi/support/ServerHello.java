package dev.weft.tls.spi.support;

import dev.weft.tls.spi.TlsVersion;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Tells from what the server says in clear which version was chosen and whether a session was resumed: no engine tells the latter
 * for all versions on both sides. TLS 1.3: the ServerHello has a pre_shared_key extension (RFC 8446 section 4.2.11). Before:
 * no Certificate follows it, but ChangeCipherSpec or a new ticket (RFC 5246 section 7.3, RFC 5077 section 3.1).
 */
final class ServerHello implements HandshakeMessages.Reader {
    private static final int SERVER_HELLO = 2;
    private static final int NEW_SESSION_TICKET = 4;
    private static final int PRE_SHARED_KEY = 41;
    private static final int SUPPORTED_VERSIONS = 43;
    private static final int RANDOM_AT = 2;
    private static final int SESSION_ID_AT = 34;
    /** The random of a ServerHello that is a HelloRetryRequest (RFC 8446 section 4.1.3). */
    private static final byte[] RETRY =
            HexFormat.of().parseHex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");

    private TlsVersion version;
    private boolean resumed;

    Optional<TlsVersion> version() {
        return Optional.ofNullable(version);
    }

    boolean resumed() {
        return resumed;
    }

    @Override
    public boolean wants(int type) {
        return type == SERVER_HELLO;
    }

    @Override
    public boolean otherRecord(int type) {
        resumed = version != null && type == HandshakeMessages.CHANGE_CIPHER_SPEC;
        return resumed;
    }

    @Override
    public boolean message(int type, byte[] body) {
        if (type != SERVER_HELLO) {
            resumed = version != null && type == NEW_SESSION_TICKET;
            return true;
        }
        if (body.length < SESSION_ID_AT + 1) {
            return true;
        }
        var hello = ByteBuffer.wrap(body);
        if (hello.slice(RANDOM_AT, RETRY.length).equals(ByteBuffer.wrap(RETRY))) {
            return false;
        }
        int legacy = hello.getShort();
        boolean psk = false;
        boolean tls13 = false;
        int at = SESSION_ID_AT + 1 + (body[SESSION_ID_AT] & 0xff) + 3 + 2; // cipher suite, compression, length of extensions
        while (at + 4 <= body.length) {
            int extension = hello.getShort(at) & 0xffff;
            int length = hello.getShort(at + 2) & 0xffff;
            psk |= extension == PRE_SHARED_KEY;
            tls13 |= extension == SUPPORTED_VERSIONS;
            at += 4 + length;
        }
        if (tls13) {
            version = TlsVersion.TLS_1_3;
            resumed = psk;
            return true;
        }
        version = switch (legacy) {
            case 0x0301 -> TlsVersion.TLS_1_0;
            case 0x0302 -> TlsVersion.TLS_1_1;
            default -> TlsVersion.TLS_1_2;
        };
        return false;
    }
}
