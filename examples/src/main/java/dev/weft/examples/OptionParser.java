package dev.weft.examples;

import dev.weft.examples.ProxyOptions.Intercept;
import dev.weft.examples.ProxyOptions.TlsLevel;
import dev.weft.intercept.Network;
import dev.weft.relay.Binding;
import dev.weft.smtp.BareLineEnds;
import java.io.File;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Reads the command line of the standalone proxy: {@code --name value} or {@code --name=value}. */
final class OptionParser {

    private static final Set<String> REPEATABLE = Set.of("--listen", "--handler", "--timeout", "--cert", "--key",
            "--implicit-tls");
    private static final Set<String> FLAGS = Set.of("--help", "--version", "--require-tls", "--tls-pass-through", "--hold");

    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

    private final Deque<String> arguments;
    private final ProxyOptions options = new ProxyOptions();
    private final Set<String> seen = new HashSet<>();

    private OptionParser(String... arguments) {
        this.arguments = new ArrayDeque<>(Arrays.asList(arguments));
    }

    static ProxyOptions parse(String... arguments) throws UsageException {
        var parser = new OptionParser(arguments);
        while (!parser.arguments.isEmpty()) {
            parser.option(parser.arguments.pop());
            if (parser.options.help || parser.options.version) {
                return parser.options;
            }
        }
        parser.check();
        return parser.options;
    }

    private void option(String argument) throws UsageException {
        int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
        var name = equals < 0 ? argument : argument.substring(0, equals);
        if (equals >= 0) {
            if (FLAGS.contains(name)) {
                throw new UsageException(name + " takes no value");
            }
            arguments.push(argument.substring(equals + 1));
        }
        switch (name) {
            case "--help", "-h" -> options.help = true;
            case "--version" -> options.version = true;
            case "--listen" -> options.listen.add(Values.address(name, value(name), 0));
            case "--to" -> options.to = Values.address(name, value(name), 1);
            case "--intercept" -> options.intercept = Values.oneOf(name, value(name), Arrays.asList(Intercept.values()),
                    Intercept::option);
            case "--trusted" -> options.trusted = networks(name, value(name));
            case "--source" -> source(name, value(name));
            case "--binding" -> options.binding = BindingSetup.binding(name, value(name));
            case "--limit" -> options.limit = BindingSetup.limit(name, value(name));
            case "--helo" -> options.heloName = value(name);
            case "--leg-messages" -> options.legMessages = Values.count(name, value(name));
            case "--lease-wait" -> options.leaseWait = BindingSetup.leaseWait(name, value(name));
            case "--rate" -> options.rate = BindingSetup.rate(name, value(name));
            case "--hold" -> options.hold = true;
            case "--handler" -> options.handlers.add(value(name));
            case "--handler-path" -> options.handlerPath = paths(name, value(name));
            case "--tls" -> options.tls = Values.oneOf(name, value(name), Arrays.asList(TlsLevel.values()), TlsLevel::option);
            case "--verify-name" -> options.verifyNames = names(name, value(name));
            case "--trust" -> options.trust = Path.of(value(name));
            case "--tls-backend" -> options.tlsBackend = value(name);
            case "--tls-cache" -> options.tlsCache = Path.of(value(name));
            case "--cert" -> options.certificates.add(Path.of(value(name)));
            case "--key" -> options.keys.add(Path.of(value(name)));
            case "--require-tls" -> options.requireTls = true;
            case "--tls-pass-through" -> options.passThrough = true;
            case "--implicit-tls" -> options.implicitTls.add(Values.address(name, value(name), 0));
            case "--log" -> options.log = value(name);
            case "--max-sessions" -> options.maxSessions = Values.count(name, value(name));
            case "--max-sessions-per-client" -> options.maxSessionsPerClient = Values.count(name, value(name));
            case "--loops" -> options.loops = Values.count(name, value(name));
            case "--grace" -> options.grace = Values.seconds(name, value(name));
            case "--timeout" -> timeout(name, value(name));
            case "--bare-line-ends" -> options.bareLineEnds = Values.oneOf(name, value(name),
                    Arrays.asList(BareLineEnds.values()), treatment -> treatment.name().toLowerCase(Locale.ROOT));
            default -> throw new UsageException(name.startsWith("-")
                    ? "unknown option " + name + "; --help lists them all"
                    : "\"" + name + "\" stands by itself: each value follows its option, see --help");
        }
    }

    private String value(String name) throws UsageException {
        if (!seen.add(name) && !REPEATABLE.contains(name)) {
            throw new UsageException(name + " is given twice; give it once");
        }
        var value = arguments.poll();
        if (value == null || value.isEmpty()) {
            throw new UsageException(name + " needs a value, see --help");
        }
        return value;
    }

    private static List<Network> networks(String name, String value) throws UsageException {
        var networks = new ArrayList<Network>();
        for (var text : value.split(",", -1)) {
            try {
                networks.add(Network.parse(text));
            } catch (IllegalArgumentException e) {
                throw new UsageException(name + ": " + e.getMessage());
            }
        }
        return List.copyOf(networks);
    }

    private void source(String name, String value) throws UsageException {
        if (value.equals("client")) {
            options.sourceClient = true;
            return;
        }
        var sources = new ArrayList<InetAddress>();
        for (var text : value.split(",", -1)) {
            try {
                // Of literals only, since a lookup could give any of several addresses.
                sources.add(Network.parse(text.contains("/") ? "" : text).address());
            } catch (IllegalArgumentException e) {
                throw new UsageException(name + ": \"" + text + "\" is no IP address; give addresses of this host, separated by"
                        + " commas, or the word client");
            }
        }
        options.sources = List.copyOf(sources);
    }

    private static List<String> names(String name, String value) throws UsageException {
        var names = List.of(value.split(",", -1));
        for (var host : names) {
            if (!host.matches("[A-Za-z0-9_.:-]+")) {
                throw new UsageException(name + " " + value + ": \"" + host + "\" is no host name or IP address; give those"
                        + " that the server's certificate may be made out to, separated by commas");
            }
        }
        return names;
    }

    private static List<Path> paths(String name, String value) throws UsageException {
        var paths = new ArrayList<Path>();
        for (var text : value.split(File.pathSeparator)) {
            var path = Path.of(text);
            if (!Files.isReadable(path)) {
                throw new UsageException(name + ": there is no readable file or directory " + text
                        + "; give jars or directories of classes, separated by \"" + File.pathSeparator + "\"");
            }
            paths.add(path);
        }
        return List.copyOf(paths);
    }

    private void timeout(String name, String value) throws UsageException {
        int equals = value.indexOf('=');
        if (equals < 0) {
            throw new UsageException(name + " " + value + ": give NAME=SECONDS, such as idle=300");
        }
        var limit = Values.someSeconds(name, value, value.substring(equals + 1), LONGEST_TIMEOUT);
        try {
            options.timeouts = options.timeouts.with(value.substring(0, equals), limit);
        } catch (IllegalArgumentException e) {
            throw new UsageException(name + " " + value + ": " + e.getMessage());
        }
    }

    private void check() throws UsageException {
        var intercept = options.intercept;
        if ((intercept == null) == (options.to == null)) {
            throw new UsageException(intercept == null
                    ? "give --intercept to relay to where clients dialled, or --to HOST:PORT to relay to one server; see --help"
                    : "--intercept and --to exclude each other; give one of them");
        }
        if (intercept == Intercept.INHERITED && !options.listen.isEmpty()) {
            throw new UsageException(
                    "--listen: with --intercept inherited the socket comes as standard input; leave --listen away");
        }
        if (intercept != Intercept.INHERITED && options.listen.isEmpty() && options.implicitTls.isEmpty()) {
            throw new UsageException("--listen HOST:PORT is missing: the address that clients' connections arrive at");
        }
        if (options.listen.contains(options.to) || options.implicitTls.contains(options.to)) {
            throw new UsageException("--to " + EventJson.address(options.to)
                    + " is the address that the proxy itself listens on; name the server's");
        }
        if (intercept == Intercept.PROXY_PROTOCOL && options.trusted.isEmpty()) {
            throw new UsageException(
                    "--trusted CIDR is missing: whose PROXY protocol header to believe, such as --trusted 192.0.2.0/24");
        }
        if (intercept != Intercept.PROXY_PROTOCOL && !options.trusted.isEmpty()) {
            throw new UsageException("--trusted goes only with --intercept proxy-protocol; leave it away");
        }
        if (!options.handlerPath.isEmpty() && options.handlers.isEmpty()) {
            throw new UsageException("--handler-path without --handler CLASS; name the handler's class");
        }
        BindingSetup.check(options);
        checkServerTls();
        checkClientTls();
    }

    private void checkServerTls() throws UsageException {
        if ((options.tls == TlsLevel.VERIFY) == options.verifyNames.isEmpty()) {
            throw new UsageException(options.verifyNames.isEmpty()
                    ? "--tls verify needs --verify-name NAME[,NAME]: the names that the server's certificate may be made out to"
                    : "--verify-name goes only with --tls verify; add that, or leave it away");
        }
        if (options.tls == TlsLevel.NONE && (options.tlsCache != null || options.trust != null)) {
            throw new UsageException((options.trust != null ? "--trust" : "--tls-cache")
                    + " goes not with --tls none, which makes no server leg with TLS; leave one of them away");
        }
    }

    private void checkClientTls() throws UsageException {
        if (options.certificates.size() != options.keys.size()) {
            throw new UsageException((options.certificates.size() > options.keys.size() ? "--key" : "--cert")
                    + " FILE is missing: each --cert goes with the --key of the same place");
        }
        if (options.certificates.isEmpty() && (options.requireTls || !options.implicitTls.isEmpty())) {
            throw new UsageException((options.requireTls ? "--require-tls" : "--implicit-tls")
                    + " needs a certificate: give --cert FILE --key FILE");
        }
        if (options.passThrough && !options.certificates.isEmpty()) {
            throw new UsageException("--tls-pass-through shows clients the server's certificate, --cert one of the proxy's own; "
                    + "leave one of them away");
        }
        if (options.passThrough && options.binding == Binding.ON_MAIL) {
            throw new UsageException("--tls-pass-through goes not with --binding mail: a server connection that clients"
                    + " share can't be in TLS with one of them; leave one of them away");
        }
        if (options.passThrough && (options.tls == TlsLevel.ENCRYPT || options.tls == TlsLevel.VERIFY)) {
            throw new UsageException("--tls-pass-through goes not with --tls " + options.tls.option()
                    + ": what passes unread can't be held to it; leave one of them away");
        }
        if (!options.implicitTls.isEmpty()
                && (options.intercept == Intercept.TPROXY || options.intercept == Intercept.INHERITED)) {
            throw new UsageException("--implicit-tls listens on an address of this host, which --intercept "
                    + options.intercept.option() + " would take for the destination; run it with --to, in a proxy of its own");
        }
    }
}
