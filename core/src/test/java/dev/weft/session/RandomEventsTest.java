package dev.weft.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.Binding;
import dev.weft.relay.FailureMode;
import dev.weft.relay.MessageChange;
import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.LegTls;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord.End;
import dev.weft.relay.TlsPolicy;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.session.Arrival.TlsOffer;
import dev.weft.smtp.Command;
import dev.weft.smtp.Header;
import dev.weft.smtp.Reply;
import dev.weft.testkit.RecordingHandler;
import java.io.ByteArrayInputStream;
import dev.weft.tls.spi.PeerVerdict;
import dev.weft.tls.spi.TlsFacts;
import dev.weft.tls.spi.TlsVersion;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Whatever happens in whatever order: no exception, no order that makes no sense, each transaction and the session recorded once.
 */
class RandomEventsTest {

    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 25);
    private static final String[] CLIENT = {
        "EHLO a.example", "HELO a", "MAIL FROM:<a@example.com>", "RCPT TO:<b@example.net>", "RCPT TO:<b@example.net> NOTIFY=NEVER", "DATA",
        "EHLO a.example\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.net>\r\nDATA\r\nx\r\n.", "MAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.net>\r\nDATA", "EHLO",
        "BDAT 3", "BDAT 5 LAST", "BDAT x", "BDAT 0 LAST",
        "RSET", "NOOP", "VRFY x", "XFOO", "STARTTLS", "AUTH LOGIN", "AUTH PLAIN AAA=", "*", "QUIT", ".", "x\r\n.", "a\n.", "a\rb", "abc", "", "XCLIENT A=B",
    };
    private static final TlsPolicy[] POLICIES = {
        TlsPolicy.none(), TlsPolicy.none(), TlsPolicy.may(), TlsPolicy.encrypt(), TlsPolicy.verify("mx.example.net"),
    };
    private static final String[] SERVER = {
        "220 mx", "250 ok", "250 ok", "250 ok", "250-mx\r\n250-PIPELINING\r\n250-AUTH LOGIN\r\n250 CHUNKING", "250-mx\r\n250 CHUNKING", "354 go", "334 ", "235 yes",
        "421 bye", "450 no", "550 no", "221 bye", "junk", "250", "503-a\r\n503 b", "250 lf\n250 lf",
    };

    private static final Reply OFFER = Reply.plain(250, "mx", "PIPELINING", "CHUNKING", "DSN", "AUTH LOGIN");

    @Test
    void sessionSurvivesAnything() {
        run(Binding.ON_CONNECT);
    }

    @Test
    void sessionBoundOnMailSurvivesAnything() {
        run(Binding.ON_MAIL);
    }

    private static void run(Binding binding) {
        long first = Long.getLong("seed", new Random().nextLong());
        for (int i = 0; i < Integer.getInteger("dialogues", 5000); i++) {
            var log = new ArrayList<String>();
            try {
                run(new Random(first + i), binding, log);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + (first + i) + "L: " + e + "\n" + String.join("\n", log), e);
            }
        }
    }

    private static void run(Random random, Binding binding, List<String> log) {
        var port = new StrictPort(random.nextLong() / 4);
        var recorder = new RecordingHandler();
        var verdicts = new ArrayList<Runnable>();
        port.store.immediate = random.nextBoolean();
        var session = new SmtpSession(SessionSettings.DEFAULT, List.of(recorder, new Moody(random, verdicts)), port,
                new Arrival("e", ADDRESS, ADDRESS, Route.to(ADDRESS).withTls(oneOf(random, POLICIES)).withBinding(binding), oneOf(random, TlsOffer.values()),
                        Optional.empty()));
        session.start();
        for (int i = random.nextInt(150); i > 0 && !session.ended(); i--) {
            event(random, log, port, verdicts, session);
            port.gone.compute(Leg.CLIENT, (leg, gone) -> gone || !port.open.get(leg)); // a driver tells no more of a leg that was closed
        }
        if (binding == Binding.ON_MAIL) {
            serverEndsNoSession(port, recorder);
        }
        session.stop(true);
        assertThat(session.ended()).isTrue();
        assertThat(port.open).containsValues(false, false);
        assertThat(port.store.kept).as("messages still kept").isZero();
        assertThat(recorder.lines("session")).hasSize(1);
        assertThat(recorder.transactions()).hasSize(recorder.lines("mail").size());
    }

    /** Bound on mail, a 421 is the client's own doing, or the host's. */
    private static void serverEndsNoSession(StrictPort port, RecordingHandler recorder) {
        if (!port.lastWord.isEmpty() || recorder.session() != null) {
            assertThat(port.lastWord).matches("|421 moody\r\n|421 4.4.2 No (command in time|progress in the message).*\r\n"
                    + "|421 4.3.2 Service is stopping.*\r\n|421 4.5.4 BDAT .*\r\n");
            assertThat(recorder.session().end()).isNotIn(End.SERVER_GONE, End.UNREACHABLE, End.FAILED);
            assertThat(recorder.session().detail()).doesNotContain("reply", "server", "Server");
        }
    }

    private static void event(Random random, List<String> log, StrictPort port, List<Runnable> verdicts,
            SmtpSession session) {
        switch (random.nextInt(28)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> {
                var text = text(random, CLIENT);
                int room = Math.min(text.length, session.clientRoom());
                if (!port.clientHalfClosed && !port.paused.get(Leg.CLIENT) && !port.gone.get(Leg.CLIENT) && !port.handshake.get(Leg.CLIENT) && room > 0) {
                    log.add("client: " + new String(text, StandardCharsets.ISO_8859_1));
                    session.fromClient(ByteBuffer.wrap(text, 0, room));
                }
            }
            case 8, 9, 10, 11, 12, 13, 14, 15, 16 -> {
                if (port.open.get(Leg.SERVER) && !port.connecting && !port.leasing && !port.paused.get(Leg.SERVER) && !port.gone.get(Leg.SERVER)
                        && !port.handshake.get(Leg.SERVER)) {
                    var text = random.nextInt(15) == 0 ? text(random, SERVER) : fitting(random, session);
                    log.add("server: " + new String(text, StandardCharsets.ISO_8859_1));
                    port.partial = text.length > 0 ? text[text.length - 1] != '\n' : port.partial;
                    session.fromServer(port.generation, ByteBuffer.wrap(text));
                }
            }
            case 17, 18 -> {
                connect(random, log, port, session);
                tooLate(random, port, session);
            }
            case 24 -> handshake(Leg.SERVER, random, log, port, session);
            case 25 -> handshake(Leg.CLIENT, random, log, port, session);
            case 19 -> {
                log.add("verdict");
                if (!verdicts.isEmpty()) {
                    verdicts.remove(0).run();
                }
                complete(port);
            }
            case 26 -> {
                port.store.stalled = random.nextInt(3) == 0;
                port.store.capacity = random.nextInt(3) == 0 ? 3 : Long.MAX_VALUE;
                log.add("store " + (port.store.stalled ? "stalls" : "works") + ", takes " + port.store.capacity);
            }
            case 20 -> block(random, log, port, session);
            case 21 -> time(random, log, port, session);
            case 22 -> {
                if (random.nextInt(4) == 0) {
                    leave(random, log, port, session);
                }
            }
            default -> {
                if (random.nextInt(8) == 0) {
                    log.add("stop");
                    session.stop(false);
                }
            }
        }
    }

    private static void complete(StrictPort port) {
        while (!port.completions.isEmpty() || !port.store.answers.isEmpty()) {
            for (var answer = port.store.answers.poll(); answer != null; answer = port.store.answers.poll()) {
                answer.run();
            }
            if (!port.completions.isEmpty()) {
                port.completions.poll().run();
            }
        }
    }

    /** What a server in its right mind would say now; nothing if nothing is due. */
    private static byte[] fitting(Random random, SmtpSession session) {
        var head = session.queue.head();
        var reply = "";
        if (session.server.phase == ServerPhase.GREETING) {
            reply = "220 mx\r\n";
        } else if (head != null && random.nextInt(5) == 0) {
            reply = "550 no\r\n";
        } else if (head != null && head.kind != Entry.Kind.MESSAGE) {
            reply = switch (head.command.verb()) {
                case EHLO -> "250-mx\r\n250-PIPELINING\r\n250-AUTH LOGIN\r\n" + (random.nextInt(3) > 0 ? "250-STARTTLS\r\n" : "") + "250 CHUNKING\r\n";
                case STARTTLS -> "220 go\r\n";
                case DATA -> "354 go on\r\n";
                case AUTH -> "334 more\r\n";
                case QUIT -> "221 bye\r\n";
                default -> "250 ok\r\n";
            };
        } else if (head != null) {
            reply = "250 queued\r\n";
        }
        return reply.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] text(Random random, String[] from) {
        var text = new StringBuilder();
        do {
            text.append(from[random.nextInt(from.length)]).append("\r\n");
        } while (random.nextInt(3) == 0);
        var octets = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        return random.nextInt(5) > 0 ? octets : Arrays.copyOf(octets, 1 + random.nextInt(octets.length));
    }

    private static void connect(Random random, List<String> log, StrictPort port, SmtpSession session) {
        if (port.offerAsked && random.nextBoolean()) {
            log.add("offer");
            port.offerAsked = false;
            session.offerKnown(random.nextInt(3) > 0 ? Optional.of(OFFER) : Optional.empty());
        } else if (port.leasing) {
            lease(random, log, port, session);
        } else if (port.connecting) {
            port.connecting = false;
            if (random.nextInt(6) > 0) {
                log.add("connected");
                session.serverConnected(port.generation, ADDRESS);
            } else {
                log.add("refused");
                port.open.put(Leg.SERVER, false);
                session.serverUnreachable(port.generation, "refused");
            }
        } else if (port.open.get(Leg.SERVER) && !port.gone.get(Leg.SERVER) && random.nextInt(4) == 0) {
            log.add("server closed");
            port.gone.put(Leg.SERVER, true);
            session.serverClosed(port.generation);
        }
    }

    /** What comes too late, or unasked, is for nobody. */
    private static void tooLate(Random random, StrictPort port, SmtpSession session) {
        switch (random.nextInt(5)) {
            case 0 -> {
                if (!port.offerAsked) {
                    session.offerKnown(Optional.of(OFFER));
                }
            }
            case 1 -> session.leaseGranted(port.generation - 1, new LegFacts(ADDRESS, OFFER, Optional.empty(), Optional.empty(), 0));
            case 2 -> session.leaseRefused(port.generation - 1, noTurn("late"));
            case 3 -> session.fromServer(port.generation - 1, ByteBuffer.wrap("421 late\r\n".getBytes(StandardCharsets.ISO_8859_1)));
            default -> session.serverClosed(port.generation - 1);
        }
    }

    private static void lease(Random random, List<String> log, StrictPort port, SmtpSession session) {
        port.leasing = false;
        if (random.nextInt(6) > 0) {
            boolean lesser = random.nextInt(5) == 0;
            int transactions = random.nextInt(3);
            log.add("granted, " + (lesser ? "lesser, " : "") + "used " + transactions);
            port.secured.put(Leg.SERVER, true);
            port.trusted = true;
            session.leaseGranted(port.generation, new LegFacts(
                    ADDRESS, lesser ? Reply.plain(250, "mx", "SIZE 10") : OFFER, Optional.empty(), Optional.empty(), transactions));
        } else {
            log.add("no lease");
            port.open.put(Leg.SERVER, false);
            session.leaseRefused(port.generation, noTurn("no turn"));
        }
    }

    private static void handshake(Leg leg, Random random, List<String> log, StrictPort port, SmtpSession session) {
        if (!port.handshake.get(leg) || port.gone.get(leg)) {
            return;
        }
        boolean works = random.nextInt(4) > 0;
        log.add("handshake " + leg + (works ? "" : " fails"));
        port.handshake.put(leg, false);
        port.secured.put(leg, works);
        port.gone.put(leg, !works);
        var name = random.nextInt(4) > 0 ? Optional.of("mx.example.net") : Optional.<String>empty();
        var tls = new LegTls(
                new TlsFacts(TlsVersion.TLS_1_3, "TLS_AES_128_GCM_SHA256", List.of(), Optional.empty(), false),
                new PeerVerdict(true, random.nextInt(4) > 0, false, false, "", List.of(), name));
        if (leg == Leg.SERVER) {
            port.trusted = !(port.route.tls() instanceof TlsPolicy.Verify) || tls.peer().verified();
        }
        if (works && leg == Leg.SERVER) {
            session.serverSecured(port.generation, tls);
        } else if (works) {
            session.clientSecured(tls);
        } else if (leg == Leg.SERVER) {
            session.serverTlsFailed(port.generation, "failed");
        } else {
            session.clientTlsFailed("failed");
        }
    }

    @SafeVarargs
    private static <T> T oneOf(Random random, T... values) {
        return values[random.nextInt(values.length)];
    }

    private static void block(Random random, List<String> log, StrictPort port, SmtpSession session) {
        var leg = random.nextBoolean() ? Leg.CLIENT : Leg.SERVER;
        if (port.open.get(leg) && !port.gone.get(leg) && !port.connecting && !port.leasing) {
            log.add("blocked " + leg);
            session.writeBlocked(leg);
            if (random.nextBoolean() && port.open.get(leg)) {
                log.add("drained " + leg);
                session.writeDrained(leg);
            }
        }
    }

    private static void time(Random random, List<String> log, StrictPort port, SmtpSession session) {
        if (random.nextInt(3) > 0) {
            port.now += 60_000_000L * random.nextInt(1000);
            log.add("time");
        } else if (port.deadline != Long.MAX_VALUE) {
            log.add("deadline");
            port.now = Math.max(port.now, port.deadline);
        }
        for (int i = 0; !session.ended() && port.deadline <= port.now; i++) {
            assertThat(i).as("times that one deadline came").isLessThan(50);
            session.timePassed();
        }
    }

    private static void leave(Random random, List<String> log, StrictPort port, SmtpSession session) {
        if (random.nextBoolean()) {
            if (!port.handshake.get(Leg.CLIENT)) {
                log.add("client half-closes");
                port.clientHalfClosed = true;
                session.clientHalfClosed();
            }
        } else if (!port.gone.get(Leg.CLIENT)) {
            log.add("client vanishes");
            port.gone.put(Leg.CLIENT, true);
            session.clientGone("reset");
        }
    }

    /** Lets pass, refuses, ends, fails or takes its time. */
    private static final class Moody implements RelayHandler {
        private final Random random;
        private final List<Runnable> verdicts;
        private final MessageUse use;

        Moody(Random random, List<Runnable> verdicts) {
            this.random = random;
            this.verdicts = verdicts;
            this.use = switch (random.nextInt(4)) {
                case 0 -> MessageUse.none();
                case 1 -> MessageUse.look().withChunking();
                case 2 -> MessageUse.look();
                default -> MessageUse.replace();
            };
        }

        private <T> Verdict<T> judge() {
            return switch (random.nextInt(40)) {
                case 0, 1 -> Verdict.reject(Reply.plain(550, "moody"));
                case 2 -> Verdict.disconnect(Reply.plain(421, "moody"));
                case 3 -> throw new IllegalStateException("moody");
                case 4, 5, 6 -> {
                    var later = new CompletableFuture<Verdict<T>>();
                    verdicts.add(() -> later.complete(Verdict.proceed()));
                    yield Verdict.later(later);
                }
                default -> Verdict.proceed();
            };
        }

        @Override
        public MessageUse messageUse(RelaySession session) {
            return use;
        }

        @Override
        public MessagePath message(Transaction transaction) {
            return switch (random.nextInt(6)) {
                case 0, 1, 2 -> MessagePath.hold(message -> random.nextInt(3) > 0
                        ? judge()
                        : Verdict.rewrite(MessageChange.none().prepend(Header.of("X", "y")).body(() -> new ByteArrayInputStream(new byte[3]))));
                case 3, 4 -> MessagePath.holdTheDot(new MessageReader() {
                    @Override
                    public void read(ByteBuffer piece) {
                        if (random.nextInt(20) == 0) {
                            throw new IllegalStateException("moody");
                        }
                    }

                    @Override
                    public Verdict<Void> end() {
                        return judge();
                    }
                });
                default -> MessagePath.stream();
            };
        }

        @Override
        public FailureMode failureMode() {
            return random.nextBoolean() ? FailureMode.OPEN : FailureMode.TEMPFAIL;
        }

        @Override
        public Verdict<Command> command(RelaySession session, Command command) {
            return judge();
        }

        @Override
        public Verdict<Command> mail(Transaction transaction, Command command) {
            return judge();
        }

        @Override
        public Verdict<Command> rcpt(Transaction transaction, Command command) {
            return judge();
        }

        @Override
        public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
            return random.nextInt(3) == 0 ? Verdict.rewrite(proposed.withEhloName("other.example")) : judge();
        }

        @Override
        public Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
            return random.nextInt(6) == 0 ? Verdict.rewrite(proposed.withEhloName("x" + random.nextInt(2) + ".example")) : judge();
        }
    }

    private static LegRefusal noTurn(String why) {
        return LegRefusal.noTurn(Reply.of(451, "4.3.2", why), why, Optional.empty());
    }
}
