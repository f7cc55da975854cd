package dev.weft.examples.bench;

import dev.weft.tls.spi.Backends;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsClientContext;
import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsServerContext;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the engines alone take of a session's TLS on the server's side: made, handshake, a command, its reply, closed, freed; from
 * buffer to buffer on one thread, without a socket. No server on that engine can have TLS for less.
 */
final class TlsEngineBenchmark {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final byte[] COMMAND = "EHLO client.example\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY = "250-mx.example\r\n250-PIPELINING\r\n250 8BITMIME\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int WARM_UP = 3000;

    private final TlsClientContext client;
    private final int rounds;
    private final int count;
    private final Report report;

    private final ByteBuffer toServer = ByteBuffer.allocateDirect(2 * TlsEngine.BUFFER_BYTES);
    private final ByteBuffer toClient = ByteBuffer.allocateDirect(2 * TlsEngine.BUFFER_BYTES);
    private final ByteBuffer heard = ByteBuffer.allocateDirect(2 * TlsEngine.BUFFER_BYTES);
    private long nanos;

    /**
     * Prepares it.
     *
     * @param client the peer, whose work is not counted
     * @param rounds of which the medians are told
     * @param count handshakes of a round
     */
    TlsEngineBenchmark(TlsClientContext client, int rounds, int count, Report report) {
        this.client = client;
        this.rounds = rounds;
        this.count = count;
        this.report = report;
    }

    void run(List<CertificateFiles> certificates) throws IOException, TlsException {
        report.line("");
        report.line("The engine alone, ms a session on the server's side (one thread, no sockets, TLS 1.3, " + count
                + " sessions, medians of " + rounds + " rounds).");
        report.line("");
        report.row("", "full", "resumed");
        report.row("---", "---:", "---:");
        for (var certificate : certificates) {
            for (var backend : List.of("jdk", "conscrypt")) {
                var settings = ServerSettings.builder(KeyMaterial.pem(certificate.chain(), certificate.key())).build();
                try (var server = Backends.find().named(backend).server(settings)) {
                    report.row(certificate.title() + ", " + backend, Report.thousandths(median(server, Optional.empty())),
                            Report.thousandths(median(server, Optional.of(certificate.title() + backend))));
                }
            }
        }
    }

    private double median(TlsServerContext server, Optional<String> sessionKey) throws IOException, TlsException {
        sessions(server, sessionKey, WARM_UP);
        var figures = new ArrayList<Double>();
        for (int round = 0; round < rounds; round++) {
            figures.add(sessions(server, sessionKey, count));
        }
        return Statistics.median(figures);
    }

    /** In ms for each. The first of all, which leaves the TLS session that the others take up, is one of the warm-up's. */
    private double sessions(TlsServerContext server, Optional<String> sessionKey, int number) throws IOException, TlsException {
        nanos = 0;
        int resumed = 0;
        for (int i = 0; i < number; i++) {
            resumed += session(server, sessionKey) ? 1 : 0;
        }
        if (sessionKey.isPresent() != resumed >= number - 1) {
            throw new IOException(resumed + " of " + number + " sessions were resumed");
        }
        return nanos / 1e6 / number;
    }

    /** One session; the clock runs while the server's engine works. */
    private boolean session(TlsServerContext context, Optional<String> sessionKey) throws IOException, TlsException {
        toServer.clear();
        toClient.clear();
        var peer = client.engine(Optional.empty(), sessionKey);
        nanos -= System.nanoTime();
        var server = context.engine();
        nanos += System.nanoTime();

        send(peer, NOTHING.duplicate(), toServer);
        answer(server);
        receive(peer, toClient, toServer);
        send(peer, ByteBuffer.wrap(COMMAND), toServer);
        answer(server);
        nanos -= System.nanoTime();
        send(server, ByteBuffer.wrap(REPLY), toClient);
        server.closeOutbound();
        send(server, NOTHING.duplicate(), toClient);
        nanos += System.nanoTime();
        receive(peer, toClient, toServer);
        boolean resumed = server.facts().orElseThrow(() -> new IOException("the handshake came to no end")).resumed();
        nanos -= System.nanoTime();
        server.free();
        nanos += System.nanoTime();
        peer.free();
        return resumed;
    }

    private void answer(TlsEngine server) throws IOException {
        nanos -= System.nanoTime();
        receive(server, toServer, toClient);
        nanos += System.nanoTime();
    }

    /** Takes all that is in a buffer, and answers it where the handshake asks for that. */
    private void receive(TlsEngine engine, ByteBuffer in, ByteBuffer out) throws IOException {
        in.flip();
        TlsResult result;
        do {
            heard.clear();
            result = engine.unwrap(in, heard);
            switch (result) {
                case WRAP -> send(engine, NOTHING.duplicate(), out);
                case TASK -> engine.task().ifPresent(Runnable::run);
                case FAILED -> throw failed(engine);
                default -> { }
            }
        } while (result != TlsResult.MORE_INPUT && result != TlsResult.CLOSED);
        in.compact();
    }

    private static void send(TlsEngine engine, ByteBuffer plain, ByteBuffer out) throws IOException {
        TlsResult result;
        do {
            result = engine.wrap(plain, out);
            switch (result) {
                case TASK -> engine.task().ifPresent(Runnable::run);
                case FAILED, OUTPUT_FULL -> throw failed(engine);
                default -> { }
            }
        } while (result == TlsResult.TASK || result == TlsResult.WRAP || plain.hasRemaining());
    }

    private static IOException failed(TlsEngine engine) {
        return new IOException("TLS failed: " + engine.failure().map(TlsFailure::reason).orElse("no reason is known"));
    }
}
