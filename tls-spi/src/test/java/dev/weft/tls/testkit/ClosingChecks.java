package dev.weft.tls.testkit;

import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TlsContract.Check;
import java.nio.ByteBuffer;
import java.util.List;

/** Every order of closing. */
record ClosingChecks(TlsBackend server, TlsBackend client, TlsVersion version) {

    static List<Check> of(TlsBackend server, TlsBackend client, TlsVersion version) {
        var checks = new ClosingChecks(server, client, version);
        return List.of(
                new Check("clientClosesFirst " + version, () -> checks.oneClosesFirst(true)),
                new Check("serverClosesFirst " + version, () -> checks.oneClosesFirst(false)),
                new Check("bothCloseAtOnce " + version, checks::bothCloseAtOnce),
                new Check("lastWordsAndCloseNotifyInOnePiece " + version, checks::lastWords),
                new Check("dataAfterOurCloseNotifyIsStillHeard " + version, checks::dataAfterOurCloseNotify),
                new Check("dataAfterThePeersCloseNotifyDoesNoHarm " + version, checks::dataAfterThePeersCloseNotify),
                new Check("cutWithoutCloseNotifyIsTold " + version, checks::cut),
                new Check("closingBeforeTheHandshake " + version, checks::beforeTheHandshake),
                new Check("closingInTheHandshake " + version, checks::inTheHandshake),
                new Check("freeingAtAnyPointAndTwice " + version, checks::freeingAtAnyPoint));
    }

    private Bench bench() throws Exception {
        return Bench.of(server, client, version);
    }

    private void oneClosesFirst(boolean clientFirst) throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            var first = clientFirst ? pair.client() : pair.server();
            var second = clientFirst ? pair.server() : pair.client();
            first.engine().closeOutbound();
            pair.settle();
            Expect.equal(first.wrapped(), TlsResult.CLOSED, "wrap of the first");
            Expect.equal(second.unwrapped(), TlsResult.CLOSED, "unwrap of the second");
            Expect.that(second.engine().inboundClosed(), "the second saw close_notify");
            second.engine().closeOutbound();
            pair.settle();
            Expect.equal(second.wrapped(), TlsResult.CLOSED, "wrap of the second");
            Expect.that(first.engine().inboundClosed(), "the first saw close_notify");
            Expect.that(first.engine().failure().isEmpty() && second.engine().failure().isEmpty(), "nothing failed");
            Expect.that(first.engine().facts().isPresent(), "the facts stay");
        }
    }

    private void bothCloseAtOnce() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            pair.client().engine().closeOutbound();
            pair.server().engine().closeOutbound();
            pair.client().engine().closeOutbound();
            pair.settle();
            for (var peer : List.of(pair.client(), pair.server())) {
                Expect.that(peer.engine().inboundClosed(), "close_notify was seen");
                Expect.that(peer.engine().failure().isEmpty(), "nothing failed");
                Expect.equal(peer.wrapped(), TlsResult.CLOSED, "wrap");
            }
        }
    }

    private void lastWords() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            var cipher = ByteBuffer.allocateDirect(2 * TlsEngine.BUFFER_BYTES);
            var engine = pair.server().engine();
            Expect.equal(engine.wrap(ByteBuffer.wrap("221 bye\r\n".getBytes()), cipher), TlsResult.OK, "wrap");
            engine.closeOutbound();
            Expect.equal(engine.wrap(ByteBuffer.wrap("never".getBytes()), cipher), TlsResult.CLOSED, "wrap after closing");
            var plain = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
            Expect.equal(pair.client().engine().unwrap(cipher.flip(), plain), TlsResult.CLOSED, "unwrap");
            Expect.equal(new String(plain.array(), 0, plain.position()), "221 bye\r\n", "heard");
            Expect.that(pair.client().engine().inboundClosed(), "close_notify was seen");
        }
    }

    private void dataAfterOurCloseNotify() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            for (var speaker : List.of(pair.client(), pair.server())) {
                speaker.say("on its way");
            }
            pair.client().engine().closeOutbound(); // before it could say it
            var cipher = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
            var plain = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
            Expect.equal(pair.client().engine().wrap(ByteBuffer.allocate(0), cipher), TlsResult.CLOSED, "wrap");
            // The server has not seen the close_notify yet when it speaks.
            var reply = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
            pair.server().engine().wrap(ByteBuffer.wrap("a reply".getBytes()), reply);
            Expect.equal(pair.client().engine().unwrap(reply.flip(), plain), TlsResult.MORE_INPUT, "unwrap of data");
            Expect.equal(new String(plain.array(), 0, plain.position()), "a reply", "heard");
            Expect.that(!pair.client().engine().inboundClosed(), "the server has not ended its side");
            Expect.equal(pair.server().engine().unwrap(cipher.flip(), plain), TlsResult.CLOSED, "unwrap of close_notify");
        }
    }

    /** Some engines can still speak then, others (and TLS before 1.3, RFC 5246 section 7.2.1) must not. */
    private void dataAfterThePeersCloseNotify() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            pair.client().engine().closeOutbound();
            pair.settle();
            pair.server().say("221 bye\r\n");
            pair.settle();
            int unsaid = pair.server().unsaid();
            var heard = pair.client().takeHeard();
            Expect.equal(heard, unsaid > 0 ? "" : "221 bye\r\n", "all or nothing heard");
            pair.server().engine().closeOutbound();
            pair.settle();
            Expect.equal(pair.server().wrapped(), TlsResult.CLOSED, "wrap");
            Expect.that(pair.client().engine().inboundClosed(), "close_notify was seen");
            Expect.that(pair.server().engine().failure().isEmpty(), "nothing failed");
        }
    }

    private void cut() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            pair.client().say("half a record");
            pair.client().step(0);
            pair.toServer().take(3); // the rest is lost with the connection
            pair.toServer().take(Integer.MAX_VALUE);
            pair.server().step(0);
            Expect.that(!pair.server().engine().inboundClosed(), "no close_notify was seen");
            Expect.equal(pair.server().unwrapped(), TlsResult.MORE_INPUT, "unwrap");
            pair.server().engine().free();
            Expect.that(!pair.server().engine().inboundClosed(), "freeing does not hide the cut");
        }
    }

    private void beforeTheHandshake() throws Exception {
        try (var bench = bench(); var pair = bench.connect()) {
            pair.server().engine().closeOutbound();
            pair.client().engine().closeOutbound();
            pair.settle();
            for (var peer : List.of(pair.client(), pair.server())) {
                Expect.that(!peer.engine().handshakeDone(), "no handshake");
                Expect.that(peer.wrapped() == TlsResult.CLOSED || peer.wrapped() == TlsResult.FAILED, "an end; " + peer);
            }
        }
    }

    private void inTheHandshake() throws Exception {
        try (var bench = bench(); var pair = bench.connect()) {
            pair.client().step(0);
            pair.client().engine().closeOutbound();
            pair.settle();
            Expect.that(!pair.server().engine().handshakeDone(), "no handshake");
            Expect.that(pair.server().unwrapped() == TlsResult.FAILED || pair.server().unwrapped() == TlsResult.MORE_INPUT,
                    "the server fails or waits, not " + pair.server().unwrapped());
        }
    }

    private void freeingAtAnyPoint() throws Exception {
        try (var bench = bench()) {
            for (int steps = 0; steps < 8; steps++) {
                for (int freed = 0; freed < 2; freed++) {
                    var pair = bench.connect();
                    for (int i = 0; i < steps; i++) {
                        pair.client().step(Integer.MAX_VALUE);
                        pair.server().step(Integer.MAX_VALUE);
                    }
                    var engine = freed == 0 ? pair.client().engine() : pair.server().engine();
                    boolean done = engine.handshakeDone();
                    engine.free();
                    engine.free();
                    engine.closeOutbound();
                    var buffer = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
                    Expect.equal(engine.wrap(ByteBuffer.allocate(1), buffer), TlsResult.CLOSED, "wrap after free");
                    Expect.equal(engine.unwrap(ByteBuffer.allocate(1), buffer), TlsResult.CLOSED, "unwrap after free");
                    Expect.equal(engine.facts().isPresent(), done, "facts after free");
                    Expect.that(engine.task().isEmpty(), "no task after free");
                    pair.close();
                }
            }
        }
    }
}
