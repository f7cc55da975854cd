package dev.weft.examples.bench;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.relay.TlsPolicy;
import dev.weft.tls.spi.KeyMaterial;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/** Weft with TLS alone in a JVM, as {@link Proxy} is without. */
public final class TlsProxy {

    private TlsProxy() {}

    /**
     * Runs the proxy.
     *
     * @param args the server's port; the TLS backend; whether the server leg is in TLS, {@code true} or {@code false}; the client
     *        leg's certificate and key
     * @throws IOException if it can't listen
     */
    public static void main(String[] args) throws IOException {
        var builder = SmtpProxy.builder()
                .listen("127.0.0.1", 0)
                .intercept(Interception.fixed(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]))))
                .maxSessions(30_000)
                .tlsBackend(args[1])
                .serverTls(Boolean.parseBoolean(args[2]) ? TlsPolicy.encrypt() : TlsPolicy.none())
                .clientTls(KeyMaterial.pem(Path.of(args[3]), Path.of(args[4])));
        try (var proxy = builder.build()) {
            proxy.start();
            Proxy.obey(proxy);
        }
    }
}
