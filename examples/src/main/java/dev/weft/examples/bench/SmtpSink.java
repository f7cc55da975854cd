package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Postfix's smtp-sink: takes messages and throws them away. */
final class SmtpSink implements AutoCloseable {

    private static final Pattern MESSAGES = Pattern.compile("mesg=(\\d+)");

    private final Child child;
    private final int port;

    private SmtpSink(Child child, int port) {
        this.child = child;
        this.port = port;
    }

    /**
     * Starts one.
     *
     * @param counting whether it counts messages, which costs it a write for each
     */
    static SmtpSink start(Path directory, boolean counting) throws IOException, InterruptedException {
        int port = Child.freePort();
        var command = new ArrayList<>(List.of(Tools.find("smtp-sink", "postfix")));
        if (counting) {
            command.add("-c");
        }
        if ("root".equals(System.getProperty("user.name"))) {
            command.addAll(List.of("-u", "nobody"));
        }
        command.addAll(List.of("-m", "30000", "-t", "3600", "127.0.0.1:" + port, "4096"));
        return new SmtpSink(Child.logged("smtp-sink", directory, command).listening(port), port);
    }

    int port() {
        return port;
    }

    /** How many messages it has counted so far. */
    long messages() throws IOException {
        return lastCount(child.log());
    }

    static long lastCount(String printed) {
        long count = 0;
        for (var matcher = MESSAGES.matcher(printed); matcher.find();) {
            count = Long.parseLong(matcher.group(1));
        }
        return count;
    }

    @Override
    public void close() {
        child.close();
    }
}
