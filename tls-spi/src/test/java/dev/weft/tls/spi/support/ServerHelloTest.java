package dev.weft.tls.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.tls.spi.TlsVersion;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Peers cut their messages into records as they like (RFC 8446 section 5.1), and connections cut records. */
class ServerHelloTest {
    private static final byte[] RETRY =
            HexFormat.of().parseHex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");
    private static final byte[] SUPPORTED_VERSIONS = {0, 43, 0, 2, 3, 4};
    private static final byte[] PRE_SHARED_KEY = {0, 41, 0, 2, 0, 0};
    private static final byte[] RENEGOTIATION_INFO = {(byte) 0xff, 1, 0, 1, 0};
    private static final byte[] CERTIFICATE = message(11, new byte[3000]);
    private static final byte[] TICKET = message(4, new byte[200]);
    private static final byte[] CHANGE_CIPHER_SPEC = {20, 3, 3, 0, 1, 1};

    private static byte[] join(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (var part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] message(int type, byte[] body) {
        return ByteBuffer.allocate(4 + body.length).putInt(type << 24 | body.length).put(body).array();
    }

    private static byte[] hello(byte[] random, byte[]... extensions) {
        var all = join(extensions);
        return message(2, ByteBuffer.allocate(2 + 32 + 1 + 32 + 3 + 2 + all.length).putShort((short) 0x0303).put(random)
                .put((byte) 32).put(new byte[32]).put(new byte[3]).putShort((short) all.length).put(all).array());
    }

    private static byte[] records(byte[] messages, int size) {
        var all = new ByteArrayOutputStream();
        for (int at = 0; at < messages.length; at += size) {
            int length = Math.min(size, messages.length - at);
            all.writeBytes(new byte[] {22, 3, 3, (byte) (length >> 8), (byte) length});
            all.write(messages, at, length);
        }
        return all.toByteArray();
    }

    private static void assertSeen(byte[] wire, TlsVersion version, boolean resumed) {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int most : List.of(wire.length, 1, 7, 600)) {
            var hello = new ServerHello();
            var messages = new HandshakeMessages(hello);
            var bytes = ByteBuffer.wrap(wire);
            for (int at = 0; at < wire.length; ) {
                int to = Math.min(wire.length, at + (most == wire.length ? most : random.nextInt(1, most + 1)));
                messages.look(bytes, at, to);
                at = to;
            }
            assertThat(hello.version()).as("seed %d, pieces to %d", seed, most).isEqualTo(Optional.of(version));
            assertThat(hello.resumed()).as("seed %d, pieces to %d", seed, most).isEqualTo(resumed);
            assertThat(bytes.position()).isZero();
        }
    }

    @Test
    void messagesInOneRecordOrManyAreTheSame() {
        var hello = hello(new byte[32], RENEGOTIATION_INFO);
        for (int size : new int[] {1, 3, 80, 16_384}) {
            assertSeen(records(join(hello, CERTIFICATE), size), TlsVersion.TLS_1_2, false);
            assertSeen(records(join(hello, TICKET), size), TlsVersion.TLS_1_2, true);
            assertSeen(join(records(hello, size), CHANGE_CIPHER_SPEC), TlsVersion.TLS_1_2, true);
            assertSeen(records(hello(new byte[32], SUPPORTED_VERSIONS), size), TlsVersion.TLS_1_3, false);
            assertSeen(records(hello(new byte[32], PRE_SHARED_KEY, SUPPORTED_VERSIONS), size), TlsVersion.TLS_1_3, true);
        }
    }

    @Test
    void retryRequestIsNotTheHello() {
        var retry = records(hello(RETRY, SUPPORTED_VERSIONS), 100);
        var hello = records(hello(new byte[32], SUPPORTED_VERSIONS, PRE_SHARED_KEY), 100);

        assertSeen(join(retry, CHANGE_CIPHER_SPEC, hello), TlsVersion.TLS_1_3, true);
    }

    @Test
    void nonsenseIsBorne() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            var body = new byte[random.nextInt(80)];
            random.nextBytes(body);
            var wire = records(message(random.nextInt(4), body), 1 + random.nextInt(100));
            new HandshakeMessages(new ServerHello()).look(ByteBuffer.wrap(wire), 0, wire.length);
            new HandshakeMessages(new ClientHello()).look(ByteBuffer.wrap(wire), 0, wire.length);
            random.nextBytes(wire);
            new HandshakeMessages(new ClientHello()).look(ByteBuffer.wrap(wire), 0, wire.length);
        }
    }
}
