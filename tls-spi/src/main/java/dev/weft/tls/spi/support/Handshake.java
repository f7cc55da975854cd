package dev.weft.tls.spi.support;

import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsVersion;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** What is learnt of one handshake from the hellos that pass by. */
final class Handshake {
    private final boolean client;
    private final boolean peerIsAsked;
    private final ServerHello serverHello = new ServerHello();
    private final ClientHello clientHello = new ClientHello();
    private final Optional<String> askedName;
    private HandshakeMessages fromServer = new HandshakeMessages(serverHello);
    private HandshakeMessages fromClient = new HandshakeMessages(clientHello);

    private Handshake(boolean client, boolean peerIsAsked, Optional<String> askedName) {
        this.client = client;
        this.peerIsAsked = peerIsAsked;
        this.askedName = askedName;
    }

    static Handshake client(Optional<String> serverName) {
        return new Handshake(true, true, serverName);
    }

    /** A server's. A client that is not asked for certificates shows none, of which engines make an exception: that is costly. */
    static Handshake server(boolean asksForCertificates) {
        return new Handshake(false, asksForCertificates, Optional.empty());
    }

    /** The client's hello is read ahead of the engine, which may ask the key manager about it in this very call. */
    void beforeUnwrap(ByteBuffer cipher, boolean callsKeyManager) {
        if (!client && fromClient != null) {
            fromClient.look(cipher, cipher.position(), RecordHeader.end(cipher));
            beforeWrap(callsKeyManager);
        }
    }

    void beforeWrap(boolean callsKeyManager) {
        if (!client && callsKeyManager && fromClient != null) {
            clientHello.enter();
        }
    }

    void afterCall(boolean callsKeyManager) {
        if (!client && callsKeyManager) {
            clientHello.leave();
        }
    }

    void received(ByteBuffer cipher, int from) {
        if (client && fromServer != null) {
            fromServer.look(cipher, from, cipher.position());
        }
    }

    void sent(ByteBuffer cipher, int from) {
        if (fromServer != null) {
            (client ? fromClient : fromServer).look(cipher, from, cipher.position());
        }
    }

    void end() {
        fromServer = null;
        fromClient = null;
    }

    /** What the handshake came to; empty if the version is none that we know. */
    Optional<TlsFacts> facts(SSLSession session) {
        // What was seen on the wire comes first: Conscrypt may tell another version than was agreed on.
        return serverHello.version().or(() -> TlsVersion.of(session.getProtocol()))
                .map(version -> new TlsFacts(version, session.getCipherSuite(),
                        peerIsAsked ? peerChain(session) : List.of(),
                        client ? askedName : clientHello.serverName(), serverHello.resumed()));
    }

    /** Whether a session that the client may have offered was not taken up. */
    boolean refusedSession(TlsVersion version) {
        return client && !serverHello.resumed() && (clientHello.offersSession() || version != TlsVersion.TLS_1_3);
    }

    private static List<X509Certificate> peerChain(SSLSession session) {
        var chain = new ArrayList<X509Certificate>();
        try {
            for (var certificate : session.getPeerCertificates()) {
                if (certificate instanceof X509Certificate x509) {
                    chain.add(x509);
                }
            }
        } catch (SSLPeerUnverifiedException e) {
            // it showed none
        }
        return chain;
    }
}
