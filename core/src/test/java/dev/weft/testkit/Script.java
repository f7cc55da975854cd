package dev.weft.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** What a {@link ScriptedServer} is to say and do. Answers and faults hold for all its connections, in the order written. */
public final class Script {

    private final ServerScript.Draft draft = new ServerScript.Draft();
    private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private Duration timeout = Duration.ofSeconds(30);

    Script() {}

    ServerScript finish() {
        return draft.finish();
    }

    InetSocketAddress address() {
        return address;
    }

    Duration timeout() {
        return timeout;
    }

    /**
     * Where to listen; by default a free port of the loopback address.
     *
     * @param where address and port; port 0 means any free one
     * @return this
     */
    public Script listen(InetSocketAddress where) {
        address = Objects.requireNonNull(where, "where");
        return this;
    }

    /**
     * How long reads and waits may take; 30 s by default.
     *
     * @param limit the limit
     * @return this
     */
    public Script timeout(Duration limit) {
        timeout = Objects.requireNonNull(limit, "limit");
        return this;
    }

    /**
     * The server's name in greeting and EHLO; mx.example.net by default.
     *
     * @param host the name
     * @return this
     */
    public Script name(String host) {
        draft.name = Objects.requireNonNull(host, "host");
        return this;
    }

    /**
     * The greeting.
     *
     * @param wire code and text without the last CRLF; lines are separated by CRLF
     * @return this
     */
    public Script greeting(String wire) {
        draft.greeting = Objects.requireNonNull(wire, "wire");
        return this;
    }

    /**
     * What EHLO offers, in place of the default list.
     *
     * @param lines such as {@code "SIZE 1000"}
     * @return this
     */
    public Script capabilities(String... lines) {
        draft.capabilities = List.of(lines);
        return this;
    }

    /**
     * Answers all commands that begin so. The end of a message by DATA counts as the command {@code "."}.
     *
     * @param command how the command begins, in any case
     * @param reply the reply without its last CRLF
     * @return this
     */
    public Script answer(String command, String reply) {
        draft.exchange(command, reply, false);
        return this;
    }

    /**
     * Answers the next command that begins so; written several times, one after the other.
     *
     * @param command how the command begins, in any case
     * @param reply the reply without its last CRLF
     * @return this
     */
    public Script answerOnce(String command, String reply) {
        draft.exchange(command, reply, true);
        return this;
    }

    /**
     * A fault whenever the moment comes.
     *
     * @param moment when
     * @param fault what
     * @return this
     */
    public Script fault(Moment moment, Fault fault) {
        draft.fault(moment, fault, false);
        return this;
    }

    /**
     * A fault the next time that the moment comes; written several times, one a time.
     *
     * @param moment when
     * @param fault what
     * @return this
     */
    public Script faultOnce(Moment moment, Fault fault) {
        draft.fault(moment, fault, true);
        return this;
    }

    /**
     * Lets DATA end at something else than CRLF.CRLF too, as lax receivers do.
     *
     * @param octets such as {@code "\n.\n"}
     * @return this
     */
    public Script endsMessagesAlsoAt(String octets) {
        draft.terminators.add(octets.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /**
     * Starts the server.
     *
     * @return the running server
     * @throws IOException if it can't listen
     */
    public ScriptedServer start() throws IOException {
        return new ScriptedServer(this);
    }
}
