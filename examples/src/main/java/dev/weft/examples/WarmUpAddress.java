package dev.weft.examples;

import dev.weft.SmtpProxy;
import dev.weft.SmtpProxyBuilder;
import dev.weft.intercept.Interception;
import dev.weft.intercept.Network;
import dev.weft.policy.SourceAddress;
import dev.weft.policy.SourceAddresses;
import dev.weft.policy.SourcePool;
import dev.weft.policy.StateFile;
import dev.weft.policy.WarmUp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a new address into use: nearly all mail leaves from it until it has sent its allowance of the day, 50 on the first day
 * and half as many again on each further one; what is beyond leaves from the old address. How far it has come is kept in a
 * file.
 *
 * <pre>java -Dold=192.0.2.1 -Dnew=192.0.2.2 -Dstate=/var/lib/weft/state \
 *     -cp weft-proxy.jar dev.weft.examples.WarmUpAddress 127.0.0.1 2525 mx.example.com</pre>
 */
public final class WarmUpAddress implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(WarmUpAddress.class);
    private static final int MOST_A_DAY = 10_000;

    private final SourceAddresses sources;
    private final StateFile state;
    /** The file is never written on an event loop. */
    private final ScheduledExecutorService saver = Executors.newSingleThreadScheduledExecutor(task -> {
        var thread = new Thread(task, "save-state");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * Goes on from where the file says that the address was.
     *
     * @param old takes what the new one may not send
     * @param young is warmed up
     * @param file need not be there, but its directory
     * @throws IOException if the file can't be read
     */
    public WarmUpAddress(InetAddress old, InetAddress young, Path file) throws IOException {
        var pool = SourcePool.of("warming",
                SourceAddress.of(old),
                SourceAddress.of(young).weighing(1000).warming(WarmUp.upTo(MOST_A_DAY)));
        sources = SourceAddresses.from(pool).build();
        state = StateFile.of(file, sources);
        state.load();
        saver.scheduleWithFixedDelay(this::save, 1, 1, TimeUnit.MINUTES);
    }

    private void save() {
        try {
            state.save();
        } catch (IOException | RuntimeException e) { // a scheduled task that throws would be the last one
            LOG.error("what the new address has sent could not be saved; trying again in a minute", e);
        }
    }

    /**
     * Has a proxy choose so.
     *
     * @param builder the proxy
     * @return the builder
     */
    public SmtpProxyBuilder addTo(SmtpProxyBuilder builder) {
        return builder.handler(sources);
    }

    /** Saves for the last time; to be called after the proxy has stopped. */
    @Override
    public void close() {
        saver.shutdown();
        save();
    }

    /**
     * Runs a proxy until it is ended.
     *
     * @param arguments where to listen, host and port; the server
     * @throws IOException if it can't listen there, or the file can't be read
     */
    public static void main(String[] arguments) throws IOException {
        var warmUp = new WarmUpAddress(address("old"), address("new"), Path.of(System.getProperty("state", "weft.state")));
        var proxy = warmUp.addTo(SmtpProxy.builder())
                .listen(arguments[0], Integer.parseInt(arguments[1]))
                .intercept(Interception.fixed(new InetSocketAddress(arguments[2], 25)))
                .build();
        proxy.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            proxy.stop(Duration.ofSeconds(30));
            warmUp.close();
        }));
    }

    private static InetAddress address(String property) {
        var text = Objects.requireNonNull(System.getProperty(property), () -> "give -D" + property + "=ADDRESS");
        return Network.parse(text).address();
    }
}
