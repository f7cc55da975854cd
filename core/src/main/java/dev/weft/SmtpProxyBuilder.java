package dev.weft;

import dev.weft.intercept.Interception;
import dev.weft.intercept.SourceBinding;
import dev.weft.nio.Engine;
import dev.weft.nio.MessageSpool;
import dev.weft.policy.Destination;
import dev.weft.policy.LegLimit;
import dev.weft.policy.ThrottleSigns;
import dev.weft.relay.Binding;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.TlsPolicy;
import dev.weft.session.MessageLimits;
import dev.weft.session.OnMailSettings;
import dev.weft.session.PoolSettings;
import dev.weft.session.SessionSettings;
import dev.weft.session.Timeouts;
import dev.weft.smtp.BareLineEnds;
import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Describes a {@link SmtpProxy}. A listener and an interception are needed; all else has a default. Not for several threads at
 * once.
 */
public final class SmtpProxyBuilder {

    private final ListenChoice listening = new ListenChoice();
    private final List<RelayHandler> handlers = new ArrayList<>();
    private Interception interception;
    private SessionSettings settings = SessionSettings.DEFAULT;
    private MessageSpool.Limits held = MessageSpool.Limits.DEFAULT;
    private int maxSessions = 20_000;
    private int maxSessionsPerClient = Integer.MAX_VALUE;
    private int loops = Runtime.getRuntime().availableProcessors();
    private int backlog = 4096;
    private boolean clientAddresses;
    private final TlsChoice tls = new TlsChoice();
    private final LegChoice legs = new LegChoice();

    SmtpProxyBuilder() {}

    /**
     * Listens on an address. May be given more than once.
     *
     * @param address with port 0 the system chooses the port, see {@link SmtpProxy#addresses}
     * @return this builder
     * @throws IllegalArgumentException if the address is unresolved
     */
    public SmtpProxyBuilder listen(InetSocketAddress address) {
        listening.plain(address);
        return this;
    }

    /**
     * Listens on an address. May be given more than once.
     *
     * @param host an address, or a name, which is looked up now
     * @param port 0 lets the system choose, see {@link SmtpProxy#addresses}
     * @return this builder
     * @throws IllegalArgumentException if the name can't be looked up or the port is out of range
     */
    public SmtpProxyBuilder listen(String host, int port) {
        return listen(new InetSocketAddress(host, port));
    }

    /**
     * Listens for connections to foreign addresses, which TPROXY or policy routing leads here. Sets IP_TRANSPARENT, which needs
     * {@code --add-opens} for java.base/sun.nio.ch and CAP_NET_RAW or CAP_NET_ADMIN; {@link #inherited} needs neither.
     *
     * @param address the address and port that the packets are led to
     * @return this builder
     * @throws IllegalArgumentException if the address is unresolved
     */
    public SmtpProxyBuilder listenTransparent(InetSocketAddress address) {
        listening.transparent(address);
        return this;
    }

    /**
     * Listens on a socket that the host application opened. The proxy closes it when it stops.
     *
     * @param channel a bound channel
     * @return this builder
     * @throws IllegalArgumentException if it is not bound
     */
    public SmtpProxyBuilder listen(ServerSocketChannel channel) {
        listening.given(channel);
        return this;
    }

    /**
     * Listens on the socket that the process was started with as its standard input, by systemd or a parent of the host's own.
     * Needs no privilege, transparent or not.
     *
     * @return this builder
     * @throws IllegalStateException if standard input is no listening socket, with what to do
     */
    public SmtpProxyBuilder inherited() {
        listening.inherited();
        return this;
    }

    /**
     * Says how the original destination of a connection is found.
     *
     * @param how one of the interceptions
     * @return this builder
     */
    public SmtpProxyBuilder intercept(Interception how) {
        interception = Objects.requireNonNull(how, "how");
        return this;
    }

    /**
     * Adds a handler; handlers are asked in the order in which they are added. One handler serves all sessions on all loops.
     *
     * @param handler called on event loops: it must not block
     * @return this builder
     */
    public SmtpProxyBuilder handler(RelayHandler handler) {
        handlers.add(Objects.requireNonNull(handler, "handler"));
        return this;
    }

    /**
     * Sets what is the same for all sessions.
     *
     * @param all every setting; replaces what {@link #timeouts}, {@link #bareLineEnds}, {@link #messages} and {@link #onMail} set
     *        before
     * @return this builder
     */
    public SmtpProxyBuilder settings(SessionSettings all) {
        settings = Objects.requireNonNull(all, "all");
        return this;
    }

    /**
     * Sets the time limits.
     *
     * @param timeouts the limits; {@link Timeouts#DEFAULT} if not set
     * @return this builder
     */
    public SmtpProxyBuilder timeouts(Timeouts timeouts) {
        settings = settings.withTimeouts(timeouts);
        return this;
    }

    /**
     * Sets what becomes of bare CR and LF in messages.
     *
     * @param treatment {@link BareLineEnds#GUARD} if not set
     * @return this builder
     */
    public SmtpProxyBuilder bareLineEnds(BareLineEnds treatment) {
        settings = settings.withBareLineEnds(treatment);
        return this;
    }

    /**
     * Sets the limits of messages: their size, and how slowly they may come.
     *
     * @param limits {@link MessageLimits#DEFAULT} if not set
     * @return this builder
     */
    public SmtpProxyBuilder messages(MessageLimits limits) {
        settings = settings.withMessages(limits);
        return this;
    }

    /**
     * Sets where messages are kept that a handler holds; how much stays as it is by default.
     *
     * @param directory for the files; the system's directory for temporary files if not set. A file is unlinked as soon as it is
     *         open
     * @return this builder
     * @throws IllegalArgumentException if it is no directory that can be written to
     */
    public SmtpProxyBuilder heldMessages(Path directory) {
        return heldMessages(directory, held.memoryEach(), held.memoryForAll(), held.storageForAll());
    }

    /**
     * Sets where messages are kept that a handler holds, and how much of them. One that finds no room is answered 452 4.3.1.
     *
     * @param directory for the files; a file is unlinked as soon as it is open
     * @param memoryEach octets of one message that are kept in memory, 1 MiB if not set; a larger one goes to a file
     * @param memoryForAll octets of all messages that are kept in memory, an eighth of the heap if not set; beyond that each goes
     *         to a file
     * @param storageForAll octets of all messages, in memory and in files; no limit if not set
     * @return this builder
     * @throws IllegalArgumentException if it is no directory that can be written to, or a number is negative
     */
    public SmtpProxyBuilder heldMessages(Path directory, int memoryEach, long memoryForAll, long storageForAll) {
        if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
            throw new IllegalArgumentException("held messages: " + directory
                    + " is no directory that this user can write to; name one that is");
        }
        if (memoryEach < 0 || memoryForAll < 0 || storageForAll < 0) {
            throw new IllegalArgumentException("held messages: give octets, 0 or more, not " + memoryEach + ", "
                    + memoryForAll + ", " + storageForAll);
        }
        held = new MessageSpool.Limits(directory, memoryEach, memoryForAll, storageForAll);
        return this;
    }

    /**
     * Says that handlers may route with {@link dev.weft.relay.Route#withClientAddress}, so that what that needs is checked at
     * {@link #build}.
     *
     * @return this builder
     */
    public SmtpProxyBuilder clientAddresses() {
        clientAddresses = true;
        return this;
    }

    /**
     * Listens for clients that begin with a TLS handshake (port 465, RFC 8314 §3). May be given more than once.
     *
     * @param host an address, or a name, which is looked up now
     * @param port 0 lets the system choose, see {@link SmtpProxy#addresses}
     * @return this builder
     * @throws IllegalArgumentException if the name can't be looked up or the port is out of range
     */
    public SmtpProxyBuilder listenImplicitTls(String host, int port) {
        listening.secure(new InetSocketAddress(host, port));
        return this;
    }

    /**
     * Chooses the TLS backend. If none is named, the best one that is on the class path and can run is taken.
     *
     * @param name such as {@code jdk} or {@code conscrypt}
     * @return this builder
     */
    public SmtpProxyBuilder tlsBackend(String name) {
        tls.backend = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Sets the TLS policy of the routes that handlers are asked about first; a handler may give each route another.
     *
     * @param policy {@code may} if not set and a backend is there, else {@code none}
     * @return this builder
     */
    public SmtpProxyBuilder serverTls(TlsPolicy policy) {
        tls.policy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Offers clients STARTTLS, with these keys.
     *
     * @param keys certificates with their keys; those read from files are taken anew when the files change
     * @return this builder
     */
    public SmtpProxyBuilder clientTls(KeyMaterial keys) {
        return clientTls(ServerSettings.builder(keys).build());
    }

    /**
     * Offers clients STARTTLS, with settings of the host's own.
     *
     * @param settings keys, versions, client certificates, tickets
     * @return this builder
     */
    public SmtpProxyBuilder clientTls(ServerSettings settings) {
        tls.clientLeg = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Lets nothing pass on a client leg in clear: before STARTTLS commands get {@code 530 5.7.0}.
     *
     * @return this builder
     */
    public SmtpProxyBuilder requireClientTls() {
        tls.required = true;
        return this;
    }

    /**
     * Lets clients do TLS with the server itself, end to end: STARTTLS is shown where the server offers it, and passed on. From
     * then on Weft relays blindly, and the session's record says so. Not where a route's policy demands TLS of the server leg,
     * which Weft could not judge, and not in sessions bound on mail, whose server legs are shared: these are not shown STARTTLS.
     * Clients that don't ask for TLS get none on either leg but what the route's policy brings.
     *
     * @return this builder
     */
    public SmtpProxyBuilder passThroughClientTls() {
        tls.passThrough = true;
        return this;
    }

    /**
     * Sets the settings of the server legs' TLS: versions, the proxy's own certificate, the session cache and the directory that
     * keeps it.
     *
     * @param settings {@code ClientSettings.builder().build()} if not set
     * @return this builder
     */
    public SmtpProxyBuilder serverTlsSettings(ClientSettings settings) {
        tls.serverLeg = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets who judges the servers' certificates.
     *
     * @param judge {@link CertificateJudge#platform}, which trusts the JDK's roots, if not set
     * @return this builder
     */
    public SmtpProxyBuilder trust(CertificateJudge judge) {
        tls.judge = Objects.requireNonNull(judge, "judge");
        return this;
    }

    /**
     * Sets how long a server whose TLS failed is remembered, so that policy {@code may} goes on in clear at once.
     *
     * @param time zero remembers nothing; 10 minutes if not set; at most 365 days
     * @return this builder
     * @throws IllegalArgumentException if it is negative or longer
     */
    public SmtpProxyBuilder tlsBrokenFor(Duration time) {
        if (time.isNegative() || time.compareTo(Duration.ofDays(365)) > 0) {
            throw new IllegalArgumentException("tlsBrokenFor = " + time + ": give zero to remember nothing, or up to 365 days");
        }
        tls.brokenFor = time;
        return this;
    }

    /**
     * Sets how many connections there may be at one time; further ones get {@code 421 4.3.2}. Each takes two descriptors, and two
     * more for each leg that may be in TLS of the backend {@code conscrypt}. On Linux, no more are let in than the limit of open
     * files had room for when the proxy was started; the first one that is refused for that is in the log.
     *
     * @param most at least 1; 20,000 if not set
     * @return this builder
     * @throws IllegalArgumentException if it is less than 1
     */
    public SmtpProxyBuilder maxSessions(int most) {
        maxSessions = atLeastOne("maxSessions", most);
        return this;
    }

    /**
     * Sets how many connections one client (an IPv4 address, or an IPv6 /64) may have at one time; further ones get {@code 421
     * 4.7.0}. A 421 as greeting makes some senders suspend the whole destination for a while.
     *
     * @param most at least 1; no limit if not set
     * @return this builder
     * @throws IllegalArgumentException if it is less than 1
     */
    public SmtpProxyBuilder maxSessionsPerClient(int most) {
        maxSessionsPerClient = atLeastOne("maxSessionsPerClient", most);
        return this;
    }

    /**
     * Sets the number of event loops.
     *
     * @param count at least 1; one for each processor if not set
     * @return this builder
     * @throws IllegalArgumentException if it is less than 1
     */
    public SmtpProxyBuilder loops(int count) {
        loops = atLeastOne("loops", count);
        return this;
    }

    /**
     * Sets how many connections may wait to be accepted, for listeners that the proxy opens; the system may have a lower limit.
     *
     * @param connections at least 1; 4096 if not set
     * @return this builder
     * @throws IllegalArgumentException if it is less than 1
     */
    public SmtpProxyBuilder backlog(int connections) {
        backlog = atLeastOne("backlog", connections);
        return this;
    }

    /**
     * Sets the binding of the routes that handlers are asked about first; a handler may give each session another at connect.
     *
     * @param when {@link Binding#ON_CONNECT} if not set
     * @return this builder
     */
    public SmtpProxyBuilder binding(Binding when) {
        legs.binding = Objects.requireNonNull(when, "when");
        return this;
    }

    /**
     * Sets the proxy's own name for sessions bound on mail: in its greeting, and in its EHLO where the route has no other.
     * Servers expect that it resolves to the address that server legs leave from.
     *
     * @param name a domain or address literal; this host's name, as the system tells it at {@link #build}, if not set
     * @return this builder
     * @throws IllegalArgumentException if the name can't stand in an EHLO command
     */
    public SmtpProxyBuilder helloName(String name) {
        legs.helloName = settings.onMail().withHelloName(name).helloName();
        return this;
    }

    /**
     * Sets how slow a client may be while it has a server leg that others wait for, for sessions bound on mail.
     *
     * @param settings {@link OnMailSettings#DEFAULT} if not set; its name is used where {@link #helloName} is not called and the
     *        name is not that of the default
     * @return this builder
     */
    public SmtpProxyBuilder onMail(OnMailSettings settings) {
        this.settings = this.settings.withOnMail(settings);
        return this;
    }

    /**
     * Sets how many server legs every destination allows at once, for sessions bound on mail.
     *
     * @param limit if not set it is learnt, from 20 up to 200; there is none for legs that leave from the client's own address
     * @return this builder
     */
    public SmtpProxyBuilder legLimit(LegLimit limit) {
        Objects.requireNonNull(limit, "limit");
        return legLimits(destination -> limit);
    }

    /**
     * Sets how many server legs each destination allows at once, for sessions bound on mail. A host that keeps {@link
     * SmtpProxy#learntLimits} over a restart, under the text of {@link Destination#toString}, gives each here as the beginning of
     * {@link LegLimit#learnt}.
     *
     * @param limits asked on event loops when a destination is first used, and when it was forgotten: it must not block, throw or
     *        give null
     * @return this builder
     */
    public SmtpProxyBuilder legLimits(Function<Destination, LegLimit> limits) {
        legs.limits = Objects.requireNonNull(limits, "limits");
        return this;
    }

    /**
     * Limits sessions bound on connect, too: each holds one of its destination's turns for as long as its server leg lives. A
     * client whose turn does not come within the pool's patience, or nine tenths of the connect limit, gets a 421 as its
     * greeting, and many a sender then puts off all mail to that server for a while: {@link Binding#ON_MAIL} has no such price. A
     * limit that is to be learnt stays as it begins.
     *
     * @return this builder
     */
    public SmtpProxyBuilder legLimitsOnConnect() {
        legs.onConnect = true;
        return this;
    }

    /**
     * Sets how server legs are leased and kept, for sessions bound on mail.
     *
     * @param settings {@link PoolSettings#DEFAULT} if not set
     * @return this builder
     */
    public SmtpProxyBuilder pool(PoolSettings settings) {
        legs.pool = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /**
     * Sets which replies of servers mean that there are too many connections, so that limits that are learnt learn from them.
     * {@link dev.weft.policy.ThrottleMonitor} and {@link dev.weft.policy.SourceAddresses} have each a table of their own.
     *
     * @param signs {@link ThrottleSigns#defaults} if not set
     * @return this builder
     */
    public SmtpProxyBuilder throttleSigns(ThrottleSigns signs) {
        legs.signs = Objects.requireNonNull(signs, "signs");
        return this;
    }

    /**
     * Makes the proxy; nothing is opened yet.
     *
     * @return a proxy that can be started once
     * @throws IllegalStateException if a setting is missing, this JVM or platform lacks what one needs, or TLS can't be set up as
     *         asked for, with what to do
     */
    public SmtpProxy build() {
        var listeners = listening.all();
        if (interception == null) {
            throw new IllegalStateException(
                    "no interception: call intercept(...), with Interception.fixed(server) to relay to one server");
        }
        interception.check();
        SourceBinding.check(clientAddresses);
        listening.refuseLoop(interception);
        var config = new Engine.Config(
                settings.withOnMail(legs.named(settings.onMail())), List.copyOf(handlers), interception, loops,
                maxSessions, maxSessionsPerClient, tls.config(listening.implicitTls()));
        return new SmtpProxy(new Engine(config, new MessageSpool(held), legs.config()), listeners, backlog);
    }

    private static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " = " + value + ": give at least 1");
        }
        return value;
    }
}
