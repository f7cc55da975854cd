package dev.weft.examples.bench;

import dev.weft.SmtpProxy;
import dev.weft.intercept.Interception;
import dev.weft.policy.LegLimit;
import dev.weft.relay.Binding;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.PoolSettings;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Weft alone in a JVM, with TLS on the server leg and either binding, as {@link Proxy} is without. */
public final class BoundProxy {

    private BoundProxy() {}

    /**
     * Runs the proxy.
     *
     * @param args the server's port and {@code connect}; or the server's port, {@code mail}, the limit of server legs, and the
     *        most transactions that one carries
     * @throws IOException if it can't listen
     */
    public static void main(String[] args) throws IOException {
        var builder = SmtpProxy.builder()
                .listen("127.0.0.1", 0)
                .intercept(Interception.fixed(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0]))))
                .serverTls(TlsPolicy.encrypt());
        if (args[1].equals("mail")) {
            builder.binding(Binding.ON_MAIL)
                    .helloName("proxy.example")
                    .legLimit(LegLimit.fixed(Integer.parseInt(args[2])))
                    .pool(PoolSettings.DEFAULT.withMessages(Integer.parseInt(args[3])));
        }
        try (var proxy = builder.build()) {
            proxy.start();
            Proxy.obey(proxy);
        }
    }
}
