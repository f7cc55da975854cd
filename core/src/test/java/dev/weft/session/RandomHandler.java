package dev.weft.session;

import dev.weft.relay.MessagePath;
import dev.weft.relay.MessageReader;
import dev.weft.relay.MessageUse;
import dev.weft.relay.RelayHandler;
import dev.weft.relay.RelaySession;
import dev.weft.relay.Route;
import dev.weft.relay.Transaction;
import dev.weft.relay.Verdict;
import dev.weft.smtp.Command;
import dev.weft.smtp.Reply;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Rejects what bears a number divisible by 9, routes at random, chooses any message path, and often takes its time. */
final class RandomHandler implements RelayHandler {

    private final Random random;
    private final List<Runnable> open;
    private final int paths;

    RandomHandler(Random random, List<Runnable> open) {
        this.random = random;
        this.open = open;
        this.paths = random.nextInt(3);
    }

    private <T> Verdict<T> perhapsLater(Verdict<T> verdict) {
        if (random.nextInt(4) > 0) {
            return verdict;
        }
        var later = new CompletableFuture<Verdict<T>>();
        open.add(() -> later.complete(verdict));
        return Verdict.later(later);
    }

    private Verdict<Command> judge(Command command) {
        var tag = command.text().replaceAll("\\D", "");
        return perhapsLater(!tag.isEmpty() && Integer.parseInt(tag) % 9 == 0
                ? Verdict.reject(Reply.plain(550, tag + " local"))
                : Verdict.proceed());
    }

    private <T> Verdict<T> judgeContent() {
        return perhapsLater(random.nextInt(6) == 0 ? Verdict.reject(Reply.plain(550, "content")) : Verdict.proceed());
    }

    private Verdict<Route> route(Route proposed, int oneIn) {
        return perhapsLater(random.nextInt(oneIn) == 0
                ? Verdict.rewrite(proposed.withEhloName("mail" + random.nextInt(2) + ".example.com"))
                : Verdict.proceed());
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

    @Override
    public Verdict<Route> mailRoute(Transaction transaction, Route proposed) {
        return route(proposed, 3);
    }

    @Override
    public Verdict<Route> recipientRoute(Transaction transaction, Command command, Route proposed) {
        return route(proposed, 12);
    }

    @Override
    public MessageUse messageUse(RelaySession session) {
        return switch (paths) {
            case 0 -> MessageUse.none();
            case 1 -> MessageUse.look().withChunking();
            default -> MessageUse.look();
        };
    }

    @Override
    public MessagePath message(Transaction transaction) {
        if (paths == 0 || random.nextInt(3) == 0) {
            return MessagePath.stream();
        }
        if (paths == 2 && random.nextBoolean()) {
            return MessagePath.hold(message -> judgeContent());
        }
        return MessagePath.holdTheDot(new MessageReader() {
            @Override
            public void read(ByteBuffer piece) {}

            @Override
            public Verdict<Void> end() {
                return judgeContent();
            }
        });
    }
}
