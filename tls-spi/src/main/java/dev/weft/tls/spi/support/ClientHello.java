package dev.weft.tls.spi.support;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What a client asks for, read as it passes by: the server's name (RFC 6066 section 3) and whether it can use an ECDSA
 * certificate, which Conscrypt does not tell a key manager.
 */
public final class ClientHello implements HandshakeMessages.Reader {
    private static final ThreadLocal<ClientHello> CURRENT = new ThreadLocal<>();

    private static final int CLIENT_HELLO = 1;
    private static final int SERVER_NAME = 0;
    private static final int SIGNATURE_ALGORITHMS = 13;
    private static final int PRE_SHARED_KEY = 41;
    private static final int SUPPORTED_VERSIONS = 43;
    private static final int ECDSA = 3; // the low byte of ecdsa_secp256r1_sha256 and its like (RFC 8446 section 4.2.3)
    /** TLS_ECDHE_ECDSA_WITH_…: before TLS 1.3 the suite fixes the kind of certificate (RFC 8422, 5289, 7905). */
    private static final Set<Integer> ECDSA_SUITES = Set.of(0xc009, 0xc00a, 0xc023, 0xc024, 0xc02b, 0xc02c, 0xcca9);

    private String serverName;
    private boolean ecdsaSuite;
    private boolean ecdsaSignature;
    private boolean offersSession;
    private boolean seen;

    ClientHello() {}

    /** The hello that the engine call on this thread is about; only where an engine calls the key manager inside its calls. */
    static Optional<ClientHello> current() {
        return Optional.ofNullable(CURRENT.get()).filter(hello -> hello.seen);
    }

    void enter() {
        CURRENT.set(this);
    }

    void leave() {
        CURRENT.remove();
    }

    Optional<String> serverName() {
        return Optional.ofNullable(serverName);
    }

    boolean takesEcdsa() {
        return ecdsaSuite && ecdsaSignature;
    }

    /** Whether it offers to take up a session of TLS 1.3; for older versions that can't be seen as easily. */
    boolean offersSession() {
        return offersSession;
    }

    @Override
    public boolean wants(int type) {
        return type == CLIENT_HELLO;
    }

    @Override
    public boolean otherRecord(int type) {
        return true;
    }

    @Override
    public boolean message(int type, byte[] body) {
        if (type == CLIENT_HELLO) {
            try {
                read(ByteBuffer.wrap(body));
                seen = true;
            } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
                serverName = null; // the engine will refuse it
            }
        }
        return true; // what comes after a HelloRetryRequest asks for the same (RFC 8446 section 4.1.2)
    }

    private void read(ByteBuffer hello) {
        skip(hello, 2 + 32);
        skip(hello, hello.get() & 0xff);
        var suites = vector(hello);
        while (suites.remaining() >= 2) {
            ecdsaSuite |= ECDSA_SUITES.contains(suites.getShort() & 0xffff);
        }
        skip(hello, hello.get() & 0xff);
        if (!hello.hasRemaining()) {
            return;
        }
        var extensions = vector(hello);
        while (extensions.remaining() >= 4) {
            int extension = extensions.getShort() & 0xffff;
            var data = vector(extensions);
            switch (extension) {
                case SERVER_NAME -> serverName = name(vector(data));
                case SIGNATURE_ALGORITHMS -> {
                    var algorithms = vector(data);
                    while (algorithms.remaining() >= 2) {
                        ecdsaSignature |= (algorithms.getShort() & 0xff) == ECDSA;
                    }
                }
                case PRE_SHARED_KEY -> offersSession = true;
                case SUPPORTED_VERSIONS -> ecdsaSuite |= offersTls13(data);
                default -> { }
            }
        }
    }

    private static boolean offersTls13(ByteBuffer data) {
        data.get(); // length
        while (data.remaining() >= 2) {
            if (data.getShort() == 0x0304) {
                return true;
            }
        }
        return false;
    }

    private static String name(ByteBuffer names) {
        if (names.get() != 0) {
            return null;
        }
        var bytes = new byte[names.getShort() & 0xffff];
        names.get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
    }

    private static ByteBuffer vector(ByteBuffer from) {
        int length = from.getShort() & 0xffff;
        var vector = from.slice(from.position(), length);
        skip(from, length);
        return vector;
    }

    private static void skip(ByteBuffer buffer, int n) {
        buffer.position(buffer.position() + n);
    }
}
