package dev.weft.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import dev.weft.testkit.RecordingHandler;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** One random dialogue: client, session and servers take turns at random, and so do the pieces of what they send. */
final class RandomDialogue implements SessionPort {

    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 25);

    private final Random random;
    private final boolean pipelines;
    private final boolean mortal;
    final ModelClient client;
    final RecordingHandler recorder = new RecordingHandler();
    private final List<ModelServer> servers = new ArrayList<>();
    private final List<Runnable> openVerdicts = new ArrayList<>();
    private final ArrayDeque<Runnable> completions = new ArrayDeque<>();
    private final ByteArrayOutputStream toServer = new ByteArrayOutputStream();
    private final ByteArrayOutputStream toClient = new ByteArrayOutputStream();
    private byte[] clientSends = {};
    private byte[] serverSends = {};
    private final SmtpSession session;
    private int generation;
    private boolean connectOrdered;
    private boolean serverThere;
    private boolean deaths;
    private boolean clientPaused;

    RandomDialogue(long seed) {
        random = new Random(seed);
        pipelines = random.nextBoolean();
        mortal = random.nextInt(4) == 0;
        client = new ModelClient(random);
        session = new SmtpSession(SessionSettings.DEFAULT, List.of(recorder, new Picky(random, openVerdicts)), this,
                new Arrival("r" + seed, ADDRESS, ADDRESS, Route.to(ADDRESS)));
    }

    void run() {
        session.start();
        for (int idle = 0; idle < 200 && !session.ended(); idle++) {
            if (step()) {
                idle = 0;
            }
        }
        clientSends = append(clientSends, client.take(take(toClient)));
        assertThat(session.ended()).as("the session came to its end").isTrue();
    }

    private boolean step() {
        return switch (random.nextInt(8)) {
            case 0, 1 -> clientToProxy();
            case 2 -> serverToProxy();
            case 3 -> proxyToServer();
            case 4 -> proxyToClient();
            case 5 -> servers.size() > 0 && serverThere && current().act();
            case 6 -> verdict();
            default -> connectOrDie();
        };
    }

    private ModelServer current() {
        return servers.get(servers.size() - 1);
    }

    private boolean clientToProxy() {
        if (clientSends.length == 0) {
            clientSends = client.next();
        }
        int room = Math.min(clientSends.length, session.clientRoom());
        if (room == 0 || clientPaused) {
            return false;
        }
        int length = random.nextBoolean() ? room : 1 + random.nextInt(room);
        session.fromClient(ByteBuffer.wrap(Arrays.copyOf(clientSends, length)));
        clientSends = Arrays.copyOfRange(clientSends, length, clientSends.length);
        return true;
    }

    private boolean serverToProxy() {
        if (!serverThere) {
            return false;
        }
        if (serverSends.length == 0) {
            var reply = current().nextReply();
            serverSends = reply == null ? new byte[0] : reply;
        }
        if (serverSends.length == 0) {
            return false;
        }
        int length = random.nextBoolean() ? serverSends.length : 1 + random.nextInt(serverSends.length);
        var piece = Arrays.copyOf(serverSends, length);
        serverSends = Arrays.copyOfRange(serverSends, length, serverSends.length);
        session.fromServer(generation, ByteBuffer.wrap(piece));
        return true;
    }

    private boolean proxyToServer() {
        if (!serverThere || toServer.size() == 0) {
            return false;
        }
        current().take(take(toServer));
        return true;
    }

    private boolean proxyToClient() {
        var octets = take(toClient);
        clientSends = append(clientSends, client.take(octets));
        return octets.length > 0;
    }

    private boolean verdict() {
        if (!openVerdicts.isEmpty()) {
            openVerdicts.remove(0).run();
            return true;
        }
        var completion = completions.poll();
        if (completion != null) {
            completion.run();
        }
        return completion != null;
    }

    private boolean connectOrDie() {
        if (connectOrdered) {
            connectOrdered = false;
            serverThere = true;
            servers.add(new ModelServer(random, pipelines));
            session.serverConnected(generation, ADDRESS);
            return true;
        }
        if (serverThere && mortal && current().inMessage() && random.nextInt(20) == 0) {
            deaths = true;
            serverThere = false;
            serverSends = new byte[0];
            toServer.reset();
            session.serverClosed(generation);
            return true;
        }
        return false;
    }

    void check() {
        assertThat(client.over).as("the client had its last reply").isTrue();
        var arrived = servers.stream().flatMap(server -> server.accepted.stream()).toList();
        if (!deaths) {
            assertThat(tags(client.accepted)).isEqualTo(tags(arrived));
        } else {
            assertThat(tags(arrived)).containsAll(tags(client.accepted));
        }
        for (var message : client.accepted) {
            var there = arrived.stream().filter(each -> each.tag().equals(message.tag())).findFirst().orElseThrow();
            assertThat(there.octets()).as("message " + message.tag()).isEqualTo(message.octets());
        }
        var records = recorder.transactions();
        assertThat(records).hasSize(recorder.lines("mail").size());
        assertThat(new HashSet<>(records.stream().map(TransactionRecord::number).toList())).hasSize(records.size());
        assertThat(recorder.lines("session")).hasSize(1);
        var accepted = records.stream().filter(record -> record.outcome() == TransactionRecord.Outcome.ACCEPTED).toList();
        assertThat(accepted).hasSize(client.accepted.size());
        for (int i = 0; i < accepted.size() && !deaths; i++) {
            assertThat(recipients(accepted.get(i))).isEqualTo(arrived.get(i).recipients());
            assertThat(accepted.get(i).messageBytes()).isEqualTo(arrived.get(i).octets().length);
        }
    }

    private static List<String> tags(List<ModelServer.Message> messages) {
        return messages.stream().map(ModelServer.Message::tag).toList();
    }

    private static List<String> recipients(TransactionRecord record) {
        return record.recipients().stream().filter(each -> each.accepted())
                .map(each -> each.command().text().replaceAll("\\D", "")).collect(Collectors.toList());
    }

    private static byte[] take(ByteArrayOutputStream from) {
        var octets = from.toByteArray();
        from.reset();
        return octets;
    }

    private static byte[] append(byte[] one, byte[] other) {
        var all = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, all, one.length, other.length);
        return all;
    }

    @Override
    public long now() {
        return 0;
    }

    @Override
    public void connect(int legGeneration, Route route) {
        generation = legGeneration;
        connectOrdered = true;
    }

    @Override
    public void write(Leg leg, ByteBuffer bytes) {
        var octets = new byte[bytes.remaining()];
        bytes.get(octets);
        write(leg, octets);
    }

    @Override
    public void write(Leg leg, byte[] bytes) {
        (leg == Leg.CLIENT ? toClient : toServer).writeBytes(bytes);
    }

    @Override
    public void pauseReading(Leg leg) {
        clientPaused |= leg == Leg.CLIENT;
    }

    @Override
    public void resumeReading(Leg leg) {
        clientPaused &= leg != Leg.CLIENT;
    }

    @Override
    public void armTimer(long deadline) {}

    @Override
    public <T> void onCompletion(CompletionStage<T> stage, BiConsumer<? super T, ? super Throwable> resume) {
        stage.whenComplete((value, failure) -> completions.add(() -> resume.accept(value, failure)));
    }

    @Override
    public void endOutput() {
        throw new AssertionError("no TLS is passed through");
    }

    @Override
    public void close(Leg leg, Closing closing) {
        if (leg == Leg.SERVER) {
            serverThere = false;
            connectOrdered = false;
            serverSends = new byte[0];
            toServer.reset();
        }
    }

    /** Rejects what bears a number divisible by 9, sometimes later. */
    private static final class Picky implements RelayHandler {
        private final Random random;
        private final List<Runnable> open;

        Picky(Random random, List<Runnable> open) {
            this.random = random;
            this.open = open;
        }

        private Verdict<Command> judge(Command command) {
            var tag = command.text().replaceAll("\\D", "");
            Verdict<Command> verdict = !tag.isEmpty() && Integer.parseInt(tag) % 9 == 0
                    ? Verdict.reject(Reply.plain(550, tag + " local"))
                    : Verdict.proceed();
            if (random.nextInt(4) > 0) {
                return verdict;
            }
            var later = new CompletableFuture<Verdict<Command>>();
            open.add(() -> later.complete(verdict));
            return Verdict.later(later);
        }

        @Override
        public Verdict<Command> command(RelaySession session, Command command) {
            return switch (command.verb()) {
                case NOOP, VRFY, DATA, UNKNOWN -> judge(command);
                default -> Verdict.proceed();
            };
        }

        @Override
        public Verdict<Command> mail(Transaction transaction, Command command) {
            return judge(command);
        }

        @Override
        public Verdict<Command> rcpt(Transaction transaction, Command command) {
            return judge(command);
        }
    }
}
