package dev.weft.examples;

import dev.weft.SmtpProxy;
import dev.weft.SmtpProxyBuilder;
import dev.weft.intercept.Interception;
import dev.weft.intercept.SourceBinding;
import dev.weft.relay.RelayHandler;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/** The standalone proxy, {@code java -jar weft-proxy.jar --help}: options in, a running {@link SmtpProxy} out. */
public final class WeftProxy {

    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int USAGE = 2;
    private static final Duration LOG_LIMIT = Duration.ofSeconds(5);

    private final PrintStream err;
    private final ProxyOptions options;

    private WeftProxy(ProxyOptions options, PrintStream err) {
        this.options = options;
        this.err = err;
    }

    /**
     * Runs the proxy until SIGTERM or SIGINT. Exits with 0 after an orderly end, 1 if it can't run, 2 if the command line
     * is wrong.
     *
     * @param arguments the command line
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        try {
            var options = OptionParser.parse(arguments);
            if (options.help) {
                out.print(help());
                return OK;
            }
            if (options.version) {
                out.println("weft-proxy " + version());
                return OK;
            }
            return new WeftProxy(options, err).serve();
        } catch (UsageException | IllegalArgumentException e) {
            say(err, e.getMessage());
            return USAGE;
        } catch (IllegalStateException | IOException e) {
            say(err, e.getMessage() == null ? e.toString() : e.getMessage());
            return FAILED;
        }
    }

    private int serve() throws UsageException, IOException {
        var loader = new HandlerLoader(options.handlerPath);
        loader.useForThreads();
        var handlers = new ArrayList<RelayHandler>();
        for (var name : options.handlers) {
            handlers.add(loader.load(name));
        }
        var log = options.log == null ? null : new EventLog(openLog());
        try (var proxy = configured(log, handlers).build()) {
            start(proxy);
            awaitEnd(proxy);
        } finally {
            if (log != null) {
                log.close(LOG_LIMIT);
            }
        }
        return OK;
    }

    private FileOutputStream openLog() throws IOException {
        if (options.log.equals("-")) {
            return new FileOutputStream(FileDescriptor.out);
        }
        try {
            return new FileOutputStream(options.log, true);
        } catch (IOException e) {
            throw new IOException("--log: can't write to " + e.getMessage() + "; name a file that this user may write", e);
        }
    }

    /** The log comes first, to see each command as the client sent it; the source next, so that a handler may change it. */
    private SmtpProxyBuilder configured(EventLog log, List<RelayHandler> handlers) throws UsageException {
        var builder = SmtpProxy.builder().timeouts(options.timeouts).bareLineEnds(options.bareLineEnds);
        if (options.intercept == ProxyOptions.Intercept.INHERITED) {
            needed("--intercept inherited", builder::inherited);
        } else if (options.intercept == ProxyOptions.Intercept.TPROXY) {
            options.listen.forEach(builder::listenTransparent);
        } else {
            options.listen.forEach(builder::listen);
        }
        var interception = interception();
        needed("--intercept", interception::check);
        builder.intercept(interception);
        if (log != null) {
            builder.handler(log);
        }
        if (options.sourceClient) {
            builder.clientAddresses().handler(new ClientSource());
            needed("--source client", () -> SourceBinding.check(true));
        } else if (!options.sources.isEmpty()) {
            SourceRotation.notHere(options.sources).forEach(source -> say(err, "--source " + source.getHostAddress()
                    + " is no address of this host: till it is put on an interface, mail that should leave from it is deferred"));
            builder.handler(new SourceRotation(options.sources));
        }
        new BindingSetup(options).configure(builder);
        if (options.hold) {
            builder.handler(new HoldMessages());
        }
        handlers.forEach(builder::handler);
        new TlsSetup(options, note -> say(err, note)).configure(builder);
        if (options.maxSessions != null) {
            builder.maxSessions(options.maxSessions);
        }
        if (options.maxSessionsPerClient != null) {
            builder.maxSessionsPerClient(options.maxSessionsPerClient);
        }
        if (options.loops != null) {
            builder.loops(options.loops);
        }
        return builder;
    }

    /** What this JVM, platform or user lacks for an option is told with the option's name. */
    private static void needed(String option, Runnable step) {
        try {
            step.run();
        } catch (IllegalStateException e) {
            throw new IllegalStateException(option + ": " + e.getMessage(), e);
        }
    }

    private Interception interception() {
        if (options.to != null) {
            return Interception.fixed(options.to);
        }
        return switch (options.intercept) {
            case TPROXY, INHERITED -> Interception.localAddress();
            case REDIRECT -> Interception.redirect();
            case PROXY_PROTOCOL -> Interception.proxyProtocol(options.trusted);
        };
    }

    private void start(SmtpProxy proxy) throws IOException {
        try {
            proxy.start();
        } catch (BindException e) {
            throw new IOException("--listen: " + e.getMessage() + "; name a free port and an address of this host"
                    + " (a port below 1024 needs CAP_NET_BIND_SERVICE)", e);
        } catch (IOException e) {
            throw new IOException("--listen: " + e.getMessage(), e);
        }
        say(err, "listening on " + proxy.addresses().stream().map(EventJson::address).collect(Collectors.joining(", "))
                + ", to " + (options.to != null
                        ? EventJson.address(options.to)
                        : "the original destination (" + options.intercept.option() + ")"));
    }

    private void awaitEnd(SmtpProxy proxy) {
        var asked = new CountDownLatch(1);
        boolean received = Signals.receive(signal -> {
            if (asked.getCount() == 0) {
                say(err, "SIG" + signal + " again: ending at once");
                Runtime.getRuntime().halt(FAILED);
            }
            asked.countDown();
        });
        if (!received) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> proxy.stop(options.grace), "stop"));
        }
        try {
            asked.await();
        } catch (InterruptedException e) {
            return; // a test's way to end it: at once
        }
        say(err, "stopping: no new sessions; " + proxy.sessions().size() + " open, at most "
                + options.grace.toMillis() / 1000.0 + " s");
        boolean whole = proxy.stop(options.grace);
        say(err, whole ? "stopped" : "stopped; sessions were cut when the grace time was over");
    }

    private static void say(PrintStream err, String message) {
        err.println("weft-proxy: " + message.replaceAll("\\R", " "));
    }

    private static String version() {
        var version = WeftProxy.class.getPackage().getImplementationVersion();
        return (version == null ? "(not packaged)" : version) + ", Java " + Runtime.version();
    }

    private static String help() {
        try (InputStream text = WeftProxy.class.getResourceAsStream("weft-proxy-help.txt")) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
