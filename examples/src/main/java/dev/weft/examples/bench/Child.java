package dev.weft.examples.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that a benchmark started, with its standard error in a log file. It ends with the benchmark. */
final class Child implements AutoCloseable {

    private static final long START_SECONDS = 20;

    private final String name;
    private final Process process;
    private final Path log;

    private Child(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    }

    /** Starts a process whose standard input and output are pipes to this one. */
    static Child piped(String name, Path directory, List<String> command) throws IOException {
        var log = Files.createTempFile(directory, name, ".log");
        return new Child(name, new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    }

    /** Starts a process whose standard output goes to its log too. */
    static Child logged(String name, Path directory, List<String> command) throws IOException {
        var log = Files.createTempFile(directory, name, ".log");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        return new Child(name, builder.start(), log);
    }

    Process process() {
        return process;
    }

    long pid() {
        return process.pid();
    }

    /** All that the process printed to its log. */
    String log() throws IOException {
        return Files.readString(log);
    }

    /** Waits until the process listens on a port of 127.0.0.1. */
    Child listening(int port) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (true) {
            try {
                new Socket(InetAddress.getByName("127.0.0.1"), port).close();
                return this;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > end) {
                    close();
                    throw new IOException(name + " does not listen on port " + port + "; it printed: " + log(), e);
                }
                Thread.sleep(20);
            }
        }
    }

    /** A port of 127.0.0.1 that was free just now, for processes that can't tell which one the system chose. */
    static int freePort() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress("127.0.0.1", 0));
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
