package dev.weft.tls.testkit;

import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TlsContract.Check;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Bytes arrive whole and in order, however they are cut. */
record DataChecks(TlsBackend server, TlsBackend client, TlsVersion version) {
    private static final int BIG = 1_000_000;

    static List<Check> of(TlsBackend server, TlsBackend client, TlsVersion version) {
        var checks = new DataChecks(server, client, version);
        return List.of(
                new Check("everythingWorksByteByByte " + version, () -> checks.worksInPiecesOf(1, 1)),
                new Check("everythingWorksInRandomPieces " + version, checks::worksInRandomPieces),
                new Check("gluedRecordsAreTakenInOneCall " + version, checks::gluedRecords),
                new Check("muchDataArrivesBothWays " + version, checks::muchData),
                new Check("smallPlainBufferGetsAllInTheEnd " + version, checks::smallPlainBuffer),
                new Check("fullCipherBufferLosesNothing " + version, checks::fullCipherBuffer),
                new Check("heapBuffersWorkToo " + version, checks::heapBuffers),
                new Check("nothingIsSaidBeforeTheHandshakeIsDone " + version, checks::nothingBeforeTheHandshake),
                new Check("silenceMeansMoreInput " + version, checks::silence));
    }

    private Bench bench() throws Exception {
        return Bench.of(server, client, version);
    }

    private void worksInPiecesOf(int least, int most) throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        try (var bench = bench()) {
            for (int i = 0; i < 2; i++) { // full, then resumed where it can be
                try (var pair = bench.connect()) {
                    pair.client().say("early\r\n");
                    pair.settle(() -> random.nextInt(least, most + 1));
                    pair.server().say("answer\r\n");
                    pair.settle(() -> random.nextInt(least, most + 1));
                    Expect.equal(pair.server().takeHeard(), "early\r\n", "heard by the server, seed " + seed);
                    Expect.equal(pair.client().takeHeard(), "answer\r\n", "heard by the client, seed " + seed);
                    pair.client().engine().closeOutbound();
                    pair.settle(() -> random.nextInt(least, most + 1));
                    Expect.that(pair.server().engine().inboundClosed(), "close_notify was seen, seed " + seed);
                }
            }
        }
    }

    private void worksInRandomPieces() throws Exception {
        for (int i = 0; i < 10; i++) {
            worksInPiecesOf(1, 700);
        }
    }

    private void gluedRecords() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            var cipher = ByteBuffer.allocateDirect(3 * TlsEngine.BUFFER_BYTES);
            for (var line : List.of("one ", "two ", "three")) {
                var plain = ByteBuffer.wrap(line.getBytes());
                Expect.equal(pair.client().engine().wrap(plain, cipher), TlsResult.OK, "wrap");
            }
            var plain = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
            Expect.equal(pair.server().engine().unwrap(cipher.flip(), plain), TlsResult.MORE_INPUT, "unwrap");
            Expect.equal(new String(plain.array(), 0, plain.position()), "one two three", "heard");
            Expect.equal(cipher.remaining(), 0, "left");
        }
    }

    private void muchData() throws Exception {
        long seed = System.nanoTime();
        var up = new byte[BIG];
        var down = new byte[BIG];
        new Random(seed).nextBytes(up);
        new Random(seed + 1).nextBytes(down);
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.client().say(up);
            pair.server().say(down);
            pair.settle();
            Expect.that(Arrays.equals(pair.server().takeHeardBytes(), up), "all arrives at the server");
            Expect.that(Arrays.equals(pair.client().takeHeardBytes(), down), "all arrives at the client");
            pair.end();
        }
    }

    private void smallPlainBuffer() throws Exception {
        var text = "0123456789".repeat(5000);
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            for (var peer : List.of(pair.server(), pair.client())) {
                peer.hearThrough(100);
                var speaker = peer == pair.server() ? pair.client() : pair.server();
                speaker.say(text);
                pair.settle();
                var heard = new StringBuilder(peer.takeHeard());
                peer.hearThrough(TlsEngine.BUFFER_BYTES);
                pair.settle();
                Expect.equal(heard.append(peer.takeHeard()).toString(), text, "heard in the end");
            }
            pair.end();
        }
    }

    private void fullCipherBuffer() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            var plain = ByteBuffer.wrap("line\r\n".getBytes());
            var small = ByteBuffer.allocateDirect(10);
            Expect.equal(pair.client().engine().wrap(plain, small), TlsResult.OUTPUT_FULL, "wrap into 10 bytes");
            Expect.equal(plain.remaining(), 6, "bytes left");
            var cipher = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
            Expect.equal(pair.client().engine().wrap(plain, cipher), TlsResult.OK, "wrap into enough");
            var record = new byte[cipher.flip().remaining()];
            cipher.get(record);
            pair.toServer().put(record);
            pair.settle();
            Expect.equal(pair.server().takeHeard(), "line\r\n", "heard");
        }
    }

    private void heapBuffers() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            var plain = ByteBuffer.allocate(BIG / 10);
            var cipher = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
            var heard = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
            int total = 0;
            while (plain.hasRemaining()) {
                pair.client().engine().wrap(plain, cipher);
                pair.server().engine().unwrap(cipher.flip(), heard);
                cipher.compact();
                total += heard.position();
                heard.clear();
            }
            Expect.equal(total, plain.capacity(), "heard");
        }
    }

    private void nothingBeforeTheHandshake() throws Exception {
        try (var bench = bench(); var pair = bench.connect()) {
            var plain = ByteBuffer.wrap("secret".getBytes());
            var cipher = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
            Expect.equal(pair.server().engine().wrap(plain, cipher), TlsResult.MORE_INPUT, "a server that waits");
            Expect.equal(cipher.position(), 0, "bytes of a server that waits");
            Expect.equal(pair.client().engine().wrap(plain, cipher), TlsResult.MORE_INPUT, "a client that has asked");
            Expect.equal(plain.remaining(), 6, "bytes left");
            Expect.that(cipher.position() > 0, "a client asks first");
        }
    }

    private void silence() throws Exception {
        try (var bench = bench(); var pair = bench.connect()) {
            var none = ByteBuffer.allocate(0);
            var plain = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
            Expect.equal(pair.client().engine().unwrap(none, plain), TlsResult.WRAP, "a client that has not asked yet");
            for (int i = 0; i < 3; i++) {
                Expect.equal(pair.server().engine().unwrap(none, plain), TlsResult.MORE_INPUT, "a server without input");
            }
            pair.handshake();
            pair.chat();
            for (var peer : List.of(pair.client(), pair.server())) {
                Expect.equal(peer.engine().unwrap(none, plain), TlsResult.MORE_INPUT, "no input");
                var cipher = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
                Expect.equal(peer.engine().wrap(none, cipher), TlsResult.OK, "nothing to say");
            }
        }
    }
}
