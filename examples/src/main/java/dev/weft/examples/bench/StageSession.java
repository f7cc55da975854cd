package dev.weft.examples.bench;

import dev.weft.tls.spi.TlsException;
import java.io.IOException;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import jdk.net.ExtendedSocketOptions;

/** One SMTP session of a {@link StageClient}: says its commands one by one and takes down how long each reply took. */
final class StageSession implements AutoCloseable {

    private static final int MOST_REPLY = 4096;
    /** In place of a step's start: its time does not count. */
    private static final long LEFT_OUT = Long.MIN_VALUE;

    private final SessionPlan plan;
    private final TlsWire wire;
    private final String sessionKey;
    private final StageTimes times;
    private final StringBuilder reply = new StringBuilder();
    private Step step = Step.CONNECT;
    private long since = System.nanoTime();
    private ByteBuffer unsent = ByteBuffer.allocate(0);
    private boolean handshaking;
    private boolean left;
    private boolean ended;
    private boolean waiting;
    private boolean held;
    private boolean heldTold;

    StageSession(SessionPlan plan, SocketChannel channel, TlsWire.Buffers buffers, int slot, StageTimes times) {
        this.plan = plan;
        this.times = times;
        wire = new TlsWire(channel, buffers);
        sessionKey = plan.server() + " slot " + slot; // sessions of one server are nothing to another
    }

    /** All is said and the server has closed. */
    boolean ended() {
        return ended;
    }

    boolean holds() {
        return held;
    }

    /** True once, when it begins to hold. */
    boolean newlyHeld() {
        boolean first = held && !heldTold;
        heldTold = held;
        return first;
    }

    boolean wantsToWrite() {
        return unsent.hasRemaining() || wire.holdsRecords();
    }

    void connected() throws IOException {
        done(Step.GREETING);
    }

    /** Takes down the present step and begins the next. */
    private void done(Step next) {
        long now = System.nanoTime();
        if (since != LEFT_OUT) {
            times.add(step, now - since);
        }
        step = next;
        since = now;
    }

    void write() throws IOException {
        wire.write(unsent);
    }

    void read(ByteBuffer plain) throws IOException, TlsException {
        int count;
        try {
            while ((count = wire.read(plain.clear())) > 0) {
                take(plain.flip());
            }
        } catch (IOException e) {
            if (!left) {
                throw e;
            }
            count = -1; // all was said: how the server closes is no matter
        }
        if (handshaking && wire.handshakeDone()) {
            handshaking = false;
            if (plan.resume() && !wire.resumed()) {
                since = LEFT_OUT; // a full handshake after all: its time would spoil the figure of the resumed ones
            }
            done(Step.EHLO2);
            say("EHLO client.example");
            quickAck();
        }
        if (count < 0) {
            if (!left) {
                throw new IOException(held ? "closed while it was held" : "the server closed at step " + step.title());
            }
            ended = true;
        }
    }

    private void take(ByteBuffer plain) throws IOException, TlsException {
        while (plain.hasRemaining()) {
            char octet = (char) (plain.get() & 0xff);
            reply.append(octet);
            if (octet == '\n') {
                int line = reply.lastIndexOf("\n", reply.length() - 2) + 1;
                if (reply.length() - line >= 5 && reply.charAt(line + 3) != '-') {
                    var whole = reply.toString();
                    reply.setLength(0);
                    replied(whole);
                }
            } else if (reply.length() > MOST_REPLY) {
                throw new IOException("an endless reply at step " + step.title());
            }
        }
    }

    private void replied(String text) throws IOException, TlsException {
        if (text.charAt(0) != (step == Step.DATA ? '3' : '2')) {
            throw new IOException("reply at step " + step.title() + ": " + text.strip());
        }
        switch (step) {
            case GREETING -> {
                done(Step.EHLO);
                say("EHLO client.example");
            }
            case EHLO -> greeted();
            case STARTTLS -> {
                wire.secure(plan.tls().engine(Optional.empty(), plan.resume() ? Optional.of(sessionKey) : Optional.empty()), true);
                handshaking = true;
            }
            case EHLO2 -> hello();
            case MAIL -> {
                done(Step.RCPT);
                say("RCPT TO:<" + plan.to() + ">");
            }
            case RCPT -> {
                if (plan.message() == null) {
                    quit();
                } else {
                    done(Step.DATA);
                    say("DATA");
                }
            }
            case DATA -> {
                done(Step.MESSAGE);
                unsent = plan.message().duplicate();
                wire.write(unsent);
            }
            case MESSAGE -> quit();
            case QUIT -> {
                times.add(step, System.nanoTime() - since);
                times.resumed += wire.resumed() ? 1 : 0;
                left = true;
            }
            default -> throw new IOException("a reply that nothing asked for: " + text.strip());
        }
    }

    private void greeted() throws IOException {
        if (plan.tls() == null) {
            hello();
        } else if (plan.together()) {
            times.add(step, System.nanoTime() - since);
            waiting = true;
        } else {
            done(Step.STARTTLS);
            say("STARTTLS");
        }
    }

    /** It waits until all others have come as far. */
    boolean waits() {
        return waiting;
    }

    void startTls() throws IOException {
        waiting = false;
        step = Step.STARTTLS;
        since = System.nanoTime();
        say("STARTTLS");
    }

    private void hello() throws IOException {
        if (plan.holds()) {
            times.add(step, System.nanoTime() - since);
            held = true;
            return;
        }
        done(Step.MAIL);
        say("MAIL FROM:<" + plan.from() + ">");
    }

    private void quit() throws IOException {
        done(Step.QUIT);
        say("QUIT");
    }

    private void say(String command) throws IOException {
        unsent = ByteBuffer.wrap((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
        wire.write(unsent);
    }

    /**
     * A server that sends its tickets and its next reply apart waits, with Nagle's algorithm, for an acknowledgement in between.
     * To be asked for after a write, which makes the system delay it again.
     */
    private void quickAck() throws IOException {
        SocketOption<Boolean> option = ExtendedSocketOptions.TCP_QUICKACK;
        if (plan.quickAck() && wire.channel().supportedOptions().contains(option)) {
            wire.channel().setOption(option, true);
        }
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
