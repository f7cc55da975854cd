package dev.weft.tls.testkit;

import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFailure.Kind;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.TlsContract.Check;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** What comes from the peer and should not. */
record FailureChecks(TlsBackend server, TlsBackend client, TlsVersion version) {

    static List<Check> of(TlsBackend server, TlsBackend client, TlsVersion version) {
        var checks = new FailureChecks(server, client, version);
        return List.of(
                new Check("plainTextInsteadOfAHandshakeIsQuoted " + version, checks::plainText),
                new Check("oneByteOfPlainTextIsEnough " + version, checks::oneByteOfPlainText),
                new Check("plainTextAfterTheHandshakeFails " + version, checks::plainTextAfterwards),
                new Check("spoiltRecordFailsAndThePeerIsTold " + version, checks::spoiltRecord),
                new Check("recordTooLargeFails " + version, checks::tooLarge),
                new Check("cutInTheHandshakeNeverFinishes " + version, checks::cutInTheHandshake),
                new Check("renegotiationIsRefused " + version, checks::renegotiation),
                new Check("failureStays " + version, checks::failureStays));
    }

    private Bench bench() throws Exception {
        return Bench.of(server, client, version);
    }

    private void plainText() throws Exception {
        try (var bench = bench(); var pair = bench.connect()) {
            pair.client().step(0);
            pair.toServer().take(Integer.MAX_VALUE);
            pair.toClient().put("454 4.7.0 TLS not\u0007 available\r\n250 ok\r\n".getBytes(StandardCharsets.US_ASCII));
            pair.toServer().put("EHLO client.example\r\n".getBytes(StandardCharsets.US_ASCII));
            pair.settle();
            for (var peer : List.of(pair.client(), pair.server())) {
                Expect.equal(peer.unwrapped(), TlsResult.FAILED, "unwrap");
                Expect.equal(peer.engine().failure().orElseThrow().kind(), Kind.NOT_TLS, "failure");
            }
            var reason = pair.client().engine().failure().orElseThrow().reason();
            Expect.that(reason.endsWith("454 4.7.0 TLS not? available"), "quoted and clean, not " + reason);
        }
    }

    private void oneByteOfPlainText() throws Exception {
        try (var bench = bench(); var pair = bench.connect()) {
            var plain = ByteBuffer.allocate(TlsEngine.BUFFER_BYTES);
            Expect.equal(pair.server().engine().unwrap(ByteBuffer.wrap(new byte[] {'E'}), plain), TlsResult.FAILED, "unwrap");
        }
    }

    private void plainTextAfterwards() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            pair.toServer().put("QUIT\r\n".getBytes(StandardCharsets.US_ASCII));
            pair.settle();
            Expect.equal(pair.server().engine().failure().orElseThrow().kind(), Kind.NOT_TLS, "failure");
            Expect.equal(pair.server().takeHeard(), "", "heard");
        }
    }

    private void spoiltRecord() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            pair.client().say("RCPT TO:<a@example>\r\n");
            pair.client().step(0);
            pair.toServer().spoil(-1);
            pair.settle();
            Expect.equal(pair.server().unwrapped(), TlsResult.FAILED, "unwrap");
            Expect.equal(pair.server().takeHeard(), "", "heard");
            Expect.equal(pair.client().engine().failure().map(failure -> failure.kind() + " " + failure.reason()),
                    Optional.of(Kind.ALERT_FROM_PEER + " bad_record_mac"), "what the peer learns");
        }
    }

    private void tooLarge() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            pair.toServer().put(new byte[] {23, 3, 3, 0x7f, 0x7f});
            pair.settle();
            Expect.equal(pair.server().engine().failure().orElseThrow().kind(), Kind.PROTOCOL, "failure");
        }
    }

    /** Before TLS 1.3 the kind of a record can be seen from outside. */
    private void renegotiation() throws Exception {
        if (version == TlsVersion.TLS_1_3) {
            return; // it has no renegotiation: such a record is any record out of place
        }
        for (boolean byServer : new boolean[] {true, false}) {
            try (var bench = bench(); var pair = bench.connect().handshake()) {
                pair.chat();
                (byServer ? pair.toClient() : pair.toServer()).put(new byte[] {22, 3, 3, 0, 4, 0, 0, 0, 0});
                pair.settle();
                var refusing = byServer ? pair.client() : pair.server();
                Expect.equal(refusing.engine().failure().orElseThrow().kind(), Kind.RENEGOTIATION, "failure");
            }
        }
    }

    private void cutInTheHandshake() throws Exception {
        try (var bench = bench()) {
            int whole;
            try (var pair = bench.connect(Optional.of(Bench.NAME), Optional.empty()).handshake()) {
                whole = pair.toClient().sent() / 2; // what is cut away is surely needed
            }
            for (int delivered = 0; delivered < whole; delivered += 97) {
                try (var pair = bench.connect(Optional.of(Bench.NAME), Optional.empty())) {
                    pair.client().step(0);
                    pair.server().step(Integer.MAX_VALUE);
                    pair.client().step(delivered);
                    Expect.that(!pair.client().engine().handshakeDone(), "not done after " + delivered + " bytes");
                    Expect.that(pair.client().engine().failure().isEmpty(), "a cut is not told to the engine");
                }
            }
        }
    }

    private void failureStays() throws Exception {
        try (var bench = bench(); var pair = bench.connect().handshake()) {
            pair.chat();
            pair.client().say("lost");
            pair.client().step(0);
            pair.toServer().spoil(-1);
            pair.server().step(Integer.MAX_VALUE);
            var failure = pair.server().engine().failure();
            var cipher = ByteBuffer.allocateDirect(TlsEngine.BUFFER_BYTES);
            for (int i = 0; i < 3; i++) {
                Expect.equal(pair.server().engine().unwrap(ByteBuffer.allocate(0), cipher), TlsResult.FAILED, "unwrap");
                Expect.equal(pair.server().engine().wrap(ByteBuffer.allocate(0), cipher), TlsResult.FAILED, "wrap");
            }
            pair.server().engine().closeOutbound();
            Expect.equal(pair.server().engine().failure(), failure, "the first failure");
            Expect.that(pair.server().engine().handshakeDone(), "done stays done");
        }
    }
}
