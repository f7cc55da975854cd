package dev.weft.tls.testkit;

import dev.weft.tls.spi.TlsEngine;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsFailure;
import dev.weft.tls.spi.TlsFailure.Kind;
import dev.weft.tls.spi.TlsResult;
import dev.weft.tls.spi.TlsVersion;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import java.util.zip.CRC32;

/** An engine of {@link IdentityBackend}. Client: hello. Server: hello with a ticket and its certificate. Client: finished. */
final class IdentityEngine implements TlsEngine {
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    private static final int DATA = 23;
    private static final int HEADER = 5;
    private static final int CHECK = 4;
    private static final int LARGEST = 16_384;
    private static final byte[] CLOSE_NOTIFY = {1, 0};
    private static final byte[] BAD_RECORD = {2, 20};
    private static final byte[] FINISHED = {0};

    private enum Phase { HELLO_DUE, HELLO_AWAITED, TASK_DUE, ANSWER_DUE, FINISHED_AWAITED, DONE }

    private final IdentityBackend backend;
    private final boolean client;
    private final int offeredTicket;
    private final IntConsumer keepTicket;
    private final List<X509Certificate> chain;
    private final IntPredicate knowsTicket;
    private final IntSupplier newTicket;

    private Optional<String> serverName;
    private Phase phase;
    private int sessionTicket;
    private boolean resumed;
    private List<X509Certificate> peerChain = List.of();
    private TlsFailure failure;
    private byte[] alertDue;
    private boolean inboundClosed;
    private boolean outboundClosed;
    private boolean freed;

    private IdentityEngine(IdentityBackend backend, boolean client, Optional<String> serverName, int offeredTicket,
            IntConsumer keepTicket, List<X509Certificate> chain, IntPredicate knowsTicket, IntSupplier newTicket) {
        this.backend = backend;
        this.client = client;
        this.serverName = serverName;
        this.offeredTicket = offeredTicket;
        this.keepTicket = keepTicket;
        this.chain = chain;
        this.knowsTicket = knowsTicket;
        this.newTicket = newTicket;
        phase = client ? Phase.HELLO_DUE : Phase.HELLO_AWAITED;
    }

    static IdentityEngine client(IdentityBackend backend, Optional<String> serverName, int ticket, IntConsumer keepTicket) {
        return new IdentityEngine(backend, true, serverName, ticket, keepTicket, List.of(), known -> false, () -> 0);
    }

    static IdentityEngine server(IdentityBackend backend, List<X509Certificate> chain, IntPredicate knowsTicket,
            IntSupplier newTicket) {
        return new IdentityEngine(backend, false, Optional.empty(), 0, fresh -> { }, chain, knowsTicket, newTicket);
    }

    @Override
    public TlsResult unwrap(ByteBuffer cipher, ByteBuffer plain) {
        if (freed || inboundClosed || outboundClosed && phase != Phase.DONE) {
            return TlsResult.CLOSED;
        }
        while (failure == null) {
            if (phase == Phase.TASK_DUE) {
                return TlsResult.TASK;
            }
            if (phase == Phase.HELLO_DUE || phase == Phase.ANSWER_DUE) {
                return TlsResult.WRAP;
            }
            if (!cipher.hasRemaining()) {
                return TlsResult.MORE_INPUT;
            }
            int type = cipher.get(cipher.position());
            if (type < ALERT || type > DATA) {
                var text = StandardCharsets.ISO_8859_1.decode(cipher.duplicate()).toString();
                return fail(Kind.NOT_TLS, "the peer sent something else than TLS: " + text, BAD_RECORD);
            }
            int length = cipher.remaining() < HEADER ? 0 : cipher.getShort(cipher.position() + 3) & 0xffff;
            if (length > LARGEST + CHECK) {
                return fail(Kind.PROTOCOL, "the peer sent a record of " + length + " bytes", BAD_RECORD);
            }
            if (cipher.remaining() < HEADER || cipher.remaining() < HEADER + length) {
                return TlsResult.MORE_INPUT;
            }
            var body = cipher.slice(cipher.position() + HEADER, length);
            if (type == DATA && body.remaining() - CHECK > plain.remaining()) {
                return TlsResult.OUTPUT_FULL;
            }
            cipher.position(cipher.position() + HEADER + length);
            var last = take(type, body, plain);
            if (last != null) {
                return last;
            }
        }
        return TlsResult.FAILED;
    }

    private TlsResult take(int type, ByteBuffer body, ByteBuffer plain) {
        if (type == ALERT) {
            boolean close = body.get(1) == 0;
            if (close && phase == Phase.DONE) {
                inboundClosed = true;
                return TlsResult.CLOSED;
            }
            return close ? fail(Kind.CLOSED_IN_HANDSHAKE, "the peer ended the connection in the handshake", null)
                    : fail(Kind.ALERT_FROM_PEER, "bad_record_mac", null);
        }
        if (type == HANDSHAKE) {
            return hear(body);
        }
        int check = body.getInt(body.limit() - CHECK);
        body.limit(body.limit() - CHECK);
        if (phase != Phase.DONE || check != checksum(body)) {
            return fail(Kind.PROTOCOL, "a record that is spoilt or out of place", BAD_RECORD);
        }
        plain.put(body);
        return null;
    }

    private TlsResult hear(ByteBuffer body) {
        if (phase == Phase.FINISHED_AWAITED) {
            phase = Phase.DONE;
            return null;
        }
        int ticket = body.getInt();
        var rest = new byte[body.remaining()];
        body.get(rest);
        if (client) {
            resumed = ticket == offeredTicket;
            keepTicket.accept(ticket);
            try {
                var factory = CertificateFactory.getInstance("X.509");
                peerChain = List.of((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(rest)));
            } catch (GeneralSecurityException e) {
                return fail(Kind.PROTOCOL, "no certificate", BAD_RECORD);
            }
        } else {
            resumed = knowsTicket.test(ticket);
            serverName = Optional.of(new String(rest, StandardCharsets.US_ASCII)).filter(name -> !name.isEmpty());
            sessionTicket = resumed ? ticket : newTicket.getAsInt();
        }
        phase = backend.asksForTasks() ? Phase.TASK_DUE : Phase.ANSWER_DUE;
        return null;
    }

    private TlsResult fail(Kind kind, String reason, byte[] alert) {
        failure = new TlsFailure(kind, reason);
        alertDue = alert;
        return TlsResult.FAILED;
    }

    @Override
    public TlsResult wrap(ByteBuffer plain, ByteBuffer cipher) {
        if (freed) {
            return TlsResult.CLOSED;
        }
        while (true) {
            boolean speaks = alertDue != null || phase == Phase.HELLO_DUE || phase == Phase.ANSWER_DUE
                    || phase == Phase.DONE && plain.hasRemaining();
            if (speaks && cipher.remaining() < BUFFER_BYTES) {
                return TlsResult.OUTPUT_FULL;
            }
            if (alertDue != null) {
                put(cipher, ALERT, alertDue);
                alertDue = null;
            }
            if (failure != null || outboundClosed) {
                return failure != null ? TlsResult.FAILED : TlsResult.CLOSED;
            }
            switch (phase) {
                case HELLO_DUE -> {
                    var name = serverName.orElse("").getBytes(StandardCharsets.US_ASCII);
                    put(cipher, HANDSHAKE, ByteBuffer.allocate(4 + name.length).putInt(offeredTicket).put(name).array());
                    phase = Phase.HELLO_AWAITED;
                }
                case HELLO_AWAITED, FINISHED_AWAITED -> {
                    return TlsResult.MORE_INPUT;
                }
                case TASK_DUE -> {
                    return TlsResult.TASK;
                }
                case ANSWER_DUE -> answer(cipher);
                case DONE -> {
                    if (!plain.hasRemaining()) {
                        return TlsResult.OK;
                    }
                    var data = new byte[Math.min(plain.remaining(), LARGEST) + CHECK];
                    plain.get(data, 0, data.length - CHECK);
                    ByteBuffer.wrap(data).putInt(data.length - CHECK, checksum(ByteBuffer.wrap(data, 0, data.length - CHECK)));
                    put(cipher, DATA, data);
                }
            }
        }
    }

    private void answer(ByteBuffer cipher) {
        if (client) {
            put(cipher, HANDSHAKE, FINISHED);
            phase = Phase.DONE;
            return;
        }
        try {
            var der = chain.get(0).getEncoded();
            put(cipher, HANDSHAKE, ByteBuffer.allocate(4 + der.length).putInt(sessionTicket).put(der).array());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        phase = Phase.FINISHED_AWAITED;
    }

    private static void put(ByteBuffer cipher, int type, byte[] body) {
        cipher.put((byte) type).put((byte) 3).put((byte) 3).putShort((short) body.length).put(body);
    }

    private static int checksum(ByteBuffer bytes) {
        var crc = new CRC32();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    @Override
    public Optional<Runnable> task() {
        return freed || phase != Phase.TASK_DUE ? Optional.empty() : Optional.of(() -> phase = Phase.ANSWER_DUE);
    }

    @Override
    public boolean worksInCalls() {
        return !backend.asksForTasks();
    }

    @Override
    public boolean handshakeDone() {
        return phase == Phase.DONE;
    }

    @Override
    public Optional<TlsFacts> facts() {
        return phase != Phase.DONE ? Optional.empty()
                : Optional.of(new TlsFacts(TlsVersion.TLS_1_3, "TLS_NULL_WITH_NULL_NULL", peerChain, serverName, resumed));
    }

    @Override
    public Optional<TlsFailure> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public void closeOutbound() {
        if (!freed && !outboundClosed && failure == null) {
            outboundClosed = true;
            alertDue = CLOSE_NOTIFY;
        }
    }

    @Override
    public boolean inboundClosed() {
        return inboundClosed;
    }

    @Override
    public void free() {
        if (!freed) {
            freed = true;
            backend.freed();
        }
    }
}
