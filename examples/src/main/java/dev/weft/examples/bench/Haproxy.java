package dev.weft.examples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** HAProxy in TCP mode: it copies bytes both ways and understands none of them. */
final class Haproxy implements AutoCloseable {

    private final Child child;
    private final int port;

    private Haproxy(Child child, int port) {
        this.child = child;
        this.port = port;
    }

    static Haproxy start(Path directory, int serverPort) throws IOException, InterruptedException {
        int port = Child.freePort();
        var config = Files.writeString(directory.resolve("haproxy.cfg"), config(port, serverPort));
        var program = Tools.find("haproxy", "haproxy");
        var child = Child.logged("haproxy", directory, List.of(program, "-db", "-q", "-f", config.toString()));
        return new Haproxy(child.listening(port), port);
    }

    /** Two threads, as Weft has on two processors. It refuses to start with a maxconn that the descriptors do not allow. */
    private static String config(int port, int serverPort) {
        return """
                global
                    nbthread 2
                    maxconn %d
                defaults
                    mode tcp
                    timeout connect 30s
                    timeout client 1h
                    timeout server 1h
                listen relay
                    bind 127.0.0.1:%d backlog 4096
                    server sink 127.0.0.1:%d
                """.formatted(Math.min(30_000, IdleSessions.most()), port, serverPort);
    }

    int port() {
        return port;
    }

    long pid() {
        return child.pid();
    }

    @Override
    public void close() {
        child.close();
    }
}
