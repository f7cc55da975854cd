package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.SmtpProxy;
import dev.weft.testkit.ScriptedClient;
import dev.weft.testkit.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a host can do with no more than weft-core on its class path, through the standalone proxy. */
class CustomHandlerTest {

    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final String SOURCE = """
            package com.example.host;

            import dev.weft.intercept.Network;
            import dev.weft.relay.*;
            import dev.weft.smtp.*;
            import java.net.InetAddress;
            import java.net.UnknownHostException;
            import java.util.concurrent.CompletableFuture;
            import java.util.concurrent.TimeUnit;

            public class HostHandler implements RelayHandler {
                private final Network network = Network.parse("127.0.0.2");

                @Override public Verdict<Route> connect(RelaySession session, Route proposed) {
                    try {
                        return network.contains(session.client().getAddress())
                                ? Verdict.rewrite(proposed.withSource(InetAddress.getByName("127.0.0.22")))
                                : Verdict.proceed();
                    } catch (UnknownHostException e) {
                        throw new IllegalStateException(e);
                    }
                }

                @Override public Verdict<Command> command(RelaySession session, Command command) {
                    System.out.println(session.client().getHostString() + " > " + command);
                    return Verdict.proceed();
                }

                @Override public void reply(RelaySession session, Command command, Reply reply) {
                    System.out.println(session.client().getHostString() + " < " + reply.code() + " to " + command.verb());
                }

                @Override public Verdict<Command> rcpt(Transaction transaction, Command command) {
                    if (command.path().text().startsWith("slow@")) {
                        var answer = new CompletableFuture<Verdict<Command>>();
                        CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS)
                                .execute(() -> answer.complete(Verdict.proceed()));
                        return Verdict.later(answer);
                    }
                    return command.path().text().startsWith("two@")
                            ? Verdict.reject(Reply.of(550, "5.7.1", "not through here"))
                            : Verdict.proceed();
                }

                @Override public void sessionClosed(RelaySession session, SessionRecord record) {
                    System.out.println(record.client().getHostString() + " left from " + record.source().get().getHostString());
                }
            }
            """;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"directory", "jar"})
    void aHandlerCompiledAgainstTheCoreAloneWatchesRefusesRoutesAndTakesItsTime(String kind) throws Exception {
        var classes = compile(SOURCE);
        var path = kind.equals("jar") ? jar(classes) : classes;
        try (var server = ScriptedServer.start();
                var proxy = StandaloneProxy.start(directory, "--listen", "127.0.0.1:0", "--to",
                        EventJson.address(server.address()),
                        "--loops", "1", "--handler", "com.example.host.HostHandler", "--handler-path", "/:" + path)) {
            try (var slow = client(proxy, "127.0.0.2"); var quick = client(proxy, "127.0.0.3")) {
                slow.command("MAIL FROM:<a@example.com>", 250);
                quick.command("MAIL FROM:<a@example.com>", 250);
                long asked = System.nanoTime();
                slow.sendLines("RCPT TO:<one@example.net>", "RCPT TO:<two@example.net>", "RCPT TO:<slow@example.net>");
                quick.command("RCPT TO:<one@example.net>", 250);
                quick.command("QUIT", 221);
                slow.expect(250);
                slow.expect(550);
                slow.expect(250);
                assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThanOrEqualTo(Duration.ofMillis(195));
                slow.command("QUIT", 221);
                slow.readToEnd();
                quick.readToEnd();
            }
            proxy.terminate();
            assertThat(proxy.exitCode()).isZero();
            assertThat(proxy.output()).contains("127.0.0.2 > EHLO a.example.com", "127.0.0.2 > RCPT TO:<two@example.net>",
                    "127.0.0.2 < 550 to RCPT", "127.0.0.2 left from 127.0.0.22", "127.0.0.3 left from 127.0.0.1");
            assertThat(server.transcript()).noneMatch(line -> line.contains("two@"));
        }
    }

    @Test
    void theInternalsAreOutOfReachOnTheModulePath() throws Exception {
        var source = Files.createDirectories(directory.resolve("peek")).resolve("module-info.java");
        Files.writeString(source, "module peek { requires dev.weft.core; }");
        var peek = Files.writeString(directory.resolve("peek/Peek.java"),
                "package peek; class Peek { dev.weft.nio.Engine engine; }");
        var modules = System.getProperty("java.class.path");
        assertThat(Javac.run("-d", directory.resolve("peek").toString(), "-p", modules, source.toString(), peek.toString()))
                .contains("package dev.weft.nio is not visible");
    }

    private ScriptedClient client(StandaloneProxy proxy, String from) throws IOException {
        var client = ScriptedClient.connect(proxy.address(), InetAddress.getByName(from), LIMIT);
        client.expect(220);
        client.command("EHLO a.example.com", 250);
        return client;
    }

    private Path compile(String source) throws IOException, URISyntaxException {
        var core = Path.of(SmtpProxy.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        var file = Files.writeString(directory.resolve("HostHandler.java"), source);
        var classes = Files.createDirectories(directory.resolve("classes"));
        assertThat(Javac.run("-Xlint:all", "-Werror", "-d", classes.toString(), "-cp", core.toString(), file.toString()))
                .isEmpty();
        return classes;
    }

    private Path jar(Path classes) throws IOException {
        var jar = directory.resolve("handler.jar");
        var name = "com/example/host/HostHandler.class";
        try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(name));
            out.write(Files.readAllBytes(classes.resolve(name)));
        }
        return jar;
    }
}
