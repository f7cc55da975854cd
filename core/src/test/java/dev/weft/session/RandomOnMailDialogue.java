package dev.weft.session;

import static dev.weft.session.RandomPool.require;

import dev.weft.relay.Binding;
import dev.weft.relay.Route;
import dev.weft.relay.SessionRecord.End;
import dev.weft.relay.TransactionRecord;
import dev.weft.relay.TransactionRecord.Outcome;
import dev.weft.smtp.Reply;
import dev.weft.testkit.RecordingHandler;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** One random dialogue of a session bound on mail: client, pool, servers, handler and time take turns at random. */
final class RandomOnMailDialogue extends RandomPoolPort {

    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 25);
    private static final Reply OFFER = Reply.plain(250, "mx.example.net", "PIPELINING", "CHUNKING", "DSN");
    private static final int STUCK = 300;

    private final boolean moody;
    final RestlessClient client;
    final RecordingHandler recorder = new RecordingHandler();
    private final List<Runnable> openVerdicts = new ArrayList<>();
    private final SmtpSession session;
    private byte[] clientSends = {};
    private boolean stopped;

    RandomOnMailDialogue(long seed) {
        super(new Random(seed));
        now = random.nextLong() / 4;
        moody = random.nextInt(5) == 0;
        client = new RestlessClient(random);
        store.immediate = random.nextBoolean();
        session = new SmtpSession(SessionSettings.DEFAULT, List.of(recorder, new RandomHandler(random, openVerdicts)), this,
                new Arrival("r" + seed, ADDRESS, ADDRESS, Route.to(ADDRESS).withBinding(Binding.ON_MAIL)));
    }

    void run() {
        session.start();
        for (int idle = 0; !session.ended(); idle++) {
            if (step()) {
                idle = 0;
            } else if (idle == STUCK) {
                require(deadline != Long.MAX_VALUE, "nobody has anything to do, and nothing is waited for");
                timeComes();
                idle = 0;
            }
        }
        if (!left) {
            client.take(take(toClient));
        }
    }

    private boolean step() {
        return switch (random.nextInt(12)) {
            case 0, 1 -> clientToProxy();
            case 2 -> serverToProxy();
            case 3 -> toServer();
            case 4 -> toClient();
            case 5, 6 -> pool.leased != null && pool.leased.act();
            case 7 -> verdict();
            case 8 -> poolActs();
            case 9 -> serverMisbehaves();
            case 10 -> block();
            default -> {
                now += random.nextInt(1_000_000);
                yield moody && mood();
            }
        };
    }

    private boolean clientToProxy() {
        if (left) {
            return false;
        }
        if (clientSends.length == 0) {
            clientSends = client.next();
        }
        int room = Math.min(clientSends.length, session.clientRoom());
        if (room == 0 || paused.contains(Leg.CLIENT)) {
            return false;
        }
        int length = random.nextBoolean() ? room : 1 + random.nextInt(room);
        log.add("client: " + show(Arrays.copyOf(clientSends, length)));
        session.fromClient(ByteBuffer.wrap(Arrays.copyOf(clientSends, length)));
        clientSends = Arrays.copyOfRange(clientSends, length, clientSends.length);
        return true;
    }

    private boolean serverToProxy() {
        if (pool.leased == null || paused.contains(Leg.SERVER)) {
            return false;
        }
        if (serverSends.length == 0) {
            var reply = pool.leased.nextReply();
            serverSends = reply == null ? new byte[0] : reply;
        }
        if (serverSends.length == 0) {
            return false;
        }
        int length = random.nextBoolean() ? serverSends.length : 1 + random.nextInt(serverSends.length);
        var piece = Arrays.copyOf(serverSends, length);
        serverSends = Arrays.copyOfRange(serverSends, length, serverSends.length);
        log.add("server: " + show(piece));
        session.fromServer(pool.generation, ByteBuffer.wrap(piece));
        return true;
    }

    private boolean toServer() {
        if (pool.leased == null || toServer.size() == 0) {
            return false;
        }
        var octets = take(toServer);
        log.add("server gets: " + show(octets));
        pool.leased.take(octets);
        drained(Leg.SERVER);
        return true;
    }

    private boolean toClient() {
        if (left || toClient.size() == 0) {
            return false;
        }
        var octets = take(toClient);
        log.add("client gets: " + show(octets));
        clientSends = PooledServer.append(clientSends, client.take(octets));
        drained(Leg.CLIENT);
        return true;
    }

    private void drained(Leg leg) {
        if (blocked.remove(leg)) {
            log.add(leg + " takes bytes again");
            session.writeDrained(leg);
        }
    }

    private boolean block() {
        var leg = random.nextBoolean() ? Leg.CLIENT : Leg.SERVER;
        var there = leg == Leg.CLIENT ? !left && toClient.size() > 0 : pool.leased != null && toServer.size() > 0;
        if (there && !blocked.contains(leg) && random.nextInt(4) == 0) {
            log.add(leg + " takes no bytes");
            blocked.add(leg);
            session.writeBlocked(leg);
        }
        return false;
    }

    private boolean verdict() {
        if (!openVerdicts.isEmpty()) {
            log.add("a verdict comes");
            openVerdicts.remove(0).run();
            return true;
        }
        var answer = store.answers.poll();
        if (answer != null) {
            answer.run();
        }
        var completion = completions.poll();
        if (completion != null) {
            completion.run();
        }
        return completion != null || answer != null;
    }

    private boolean poolActs() {
        if (offerAsked) {
            offerAsked = false;
            session.offerKnown(random.nextInt(4) > 0 ? Optional.of(OFFER) : Optional.empty());
        } else if (pool.asked && random.nextInt(8) == 0) {
            log.add("no lease");
            pool.refuse();
            session.leaseRefused(pool.generation, noTurn("no turn"));
        } else if (pool.asked) {
            pool.grant();
            log.add("lease " + pool.generation + " granted, used " + pool.leased.transactions + ", " + pool.leased.hello());
            session.leaseGranted(pool.generation,
                    new LegFacts(ADDRESS, pool.leased.hello(), Optional.empty(), Optional.empty(), pool.leased.transactions));
        } else {
            return false;
        }
        return true;
    }

    private boolean serverMisbehaves() {
        var server = pool.leased;
        if (server == null || serverSends.length > 0 || paused.contains(Leg.SERVER)) {
            return false;
        }
        if (server.closed()) {
            log.add("server closes");
            serverGone = true;
            session.serverClosed(pool.generation);
            return true;
        }
        var stray = toServer.size() == 0 ? server.stray() : null;
        if (stray != null) {
            log.add("server: stray");
            session.fromServer(pool.generation, ByteBuffer.wrap(stray));
        }
        return stray != null;
    }

    /** What a client or a host does on a bad day. */
    private boolean mood() {
        switch (random.nextInt(80)) {
            case 0 -> {
                log.add("client vanishes");
                left = true;
                session.clientGone("reset");
            }
            case 1 -> {
                log.add("client half-closes");
                left = true;
                session.clientHalfClosed();
            }
            case 2 -> {
                log.add("stop");
                stopped = true;
                session.stop(random.nextInt(4) == 0);
            }
            case 3 -> {
                if (deadline != Long.MAX_VALUE) {
                    timeComes();
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void timeComes() {
        log.add("time comes");
        now = Math.max(now, deadline);
        for (int i = 0; !session.ended() && deadline <= now; i++) {
            require(i < 50, "the timer is armed again and again for a time that has passed");
            session.timePassed();
        }
    }

    void check() {
        pool.checkEnded();
        require(store.kept == 0, "a message is still kept");
        var record = recorder.session();
        if (client.told421) {
            require(record.end() == End.STOPPED && stopped || record.end() == End.TIMEOUT
                    && record.detail().matches("idle.*|no progress in the message|took no bytes.*"), "a 421 by " + record);
        } else {
            require(client.over || left, "the client was left by " + record);
        }
        var seen = new HashSet<String>();
        for (var server : pool.all) {
            for (var message : server.complete) {
                require(seen.add(message.tag()), "message " + message.tag() + " was sent twice");
                var sent = client.sent.get(message.tag());
                require(sent != null || left || client.told421, "message " + message.tag() + " ended early, or was none");
                require(sent == null || Arrays.equals(sent, message.octets()), "message " + message.tag() + " was changed");
            }
        }
        for (var message : client.accepted) {
            require(pool.all.stream().anyMatch(server -> server.accepted(message.tag())),
                    "message " + message.tag() + " was accepted by nobody");
        }
        records();
    }

    private void records() {
        var records = recorder.transactions();
        require(records.size() == recorder.lines("mail").size(), "transactions recorded");
        var numbers = records.stream().map(TransactionRecord::number).distinct().count();
        require(numbers == records.size(), "a transaction was recorded twice");
        for (var record : records) {
            var outcome = client.outcomes.get(record.mail().text().replaceAll("\\D", ""));
            var unheard = record.outcome() != Outcome.ACCEPTED || left || client.told421;
            require(outcome == null ? unheard : outcome == record.outcome(), "the client knows of " + outcome + ", recorded was " + record);
        }
    }

    private static String show(byte[] octets) {
        return new String(octets, StandardCharsets.ISO_8859_1).replace("\r", "\\r").replace("\n", "\\n");
    }

    private static LegRefusal noTurn(String why) {
        return LegRefusal.noTurn(Reply.of(451, "4.3.2", why), why, Optional.empty());
    }
}
