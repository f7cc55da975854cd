package dev.weft.tls.testkit;

import dev.weft.tls.spi.ClientSettings;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.ServerSettings;
import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.testkit.Bench.Certificates;
import dev.weft.tls.testkit.TlsContract.Check;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Which sessions are taken up again, and which must not be. */
record ResumptionChecks(TlsBackend server, TlsBackend client) {
    private static final Optional<String> NAME = Optional.of(Bench.NAME);

    static List<Check> of(TlsBackend server, TlsBackend client) {
        var checks = new ResumptionChecks(server, client);
        var list = new ArrayList<Check>();
        for (var version : List.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3)) {
            list.add(new Check("sessionKeysKeepSessionsApart " + version, () -> checks.keysKeepApart(version)));
            list.add(new Check("namesAndNoNameResume " + version, () -> checks.withoutName(version)));
            list.add(new Check("manyServersAreAllRemembered " + version, () -> checks.manyServers(version)));
            list.add(new Check("verdictIsTheSameAfterAResumption " + version, () -> checks.verdictAfterResumption(version)));
            list.add(new Check("sessionOutlivesACutConnection " + version, () -> checks.afterACut(version)));
            list.add(new Check("serverThatForgotItsSessionsIsResumedAgain " + version, () -> checks.serverThatForgot(version)));
            list.add(new Check("changedCertificatesAreTakenIntoUse " + version, () -> checks.reload(version)));
        }
        list.add(new Check("sessionsOnDiskAreTakenUpAfterARestart", checks::sessionDirectory));
        list.add(new Check("sessionDirectoryThatCantBeUsedIsRefused", checks::unusableDirectory));
        return list;
    }

    private void keysKeepApart(TlsVersion version) throws Exception {
        try (var bench = Bench.of(server, client, version)) {
            Expect.equal(bench.resumes(NAME, Optional.of("may server.example")), false, "first");
            Expect.equal(bench.resumes(NAME, Optional.of("may server.example")), true, "same key");
            Expect.equal(bench.resumes(NAME, Optional.of("verify server.example")), false, "another key");
            Expect.equal(bench.resumes(NAME, Optional.of("verify server.example")), true, "another key again");
            for (int i = 0; i < 3; i++) {
                Expect.equal(bench.resumes(NAME, Optional.empty()), false, "no key");
            }
            Expect.equal(bench.resumes(NAME, Optional.of("may server.example")), true, "the first key still");
        }
    }

    private void withoutName(TlsVersion version) throws Exception {
        try (var bench = Bench.of(server, client, version)) {
            Expect.equal(bench.resumes(Optional.empty(), Optional.of("192.0.2.1:25 may")), false, "first");
            Expect.equal(bench.resumes(Optional.empty(), Optional.of("192.0.2.1:25 may")), true, "second");
        }
    }

    private void manyServers(TlsVersion version) throws Exception {
        try (var bench = Bench.of(server, client, version)) {
            for (boolean resumed : new boolean[] {false, true}) {
                for (int i = 0; i < 25; i++) {
                    Expect.equal(bench.resumes(NAME, Optional.of("server" + i)), resumed, "server " + i);
                }
            }
        }
    }

    private void verdictAfterResumption(TlsVersion version) throws Exception {
        var judge = Certificates.judge();
        try (var bench = Bench.of(server, client, version)) {
            for (boolean resumed : new boolean[] {false, true}) {
                try (var pair = bench.connect().handshake()) {
                    pair.chat();
                    var facts = pair.client().engine().facts().orElseThrow();
                    Expect.equal(facts.resumed(), resumed, "resumed");
                    Expect.that(judge.judgeServer(facts.peerChain(), List.of(Bench.NAME)).verified(), "verified");
                    Expect.that(!judge.judgeServer(facts.peerChain(), List.of("other.example")).verified(), "not another");
                    pair.end();
                }
            }
        }
    }

    private void afterACut(TlsVersion version) throws Exception {
        try (var bench = Bench.of(server, client, version)) {
            for (boolean resumed : new boolean[] {false, true, true}) {
                try (var pair = bench.connect().handshake()) {
                    Expect.equal(pair.client().engine().facts().orElseThrow().resumed(), resumed, "resumed");
                    pair.chat();
                }
            }
        }
    }

    private void serverThatForgot(TlsVersion version) throws Exception {
        try (var before = Bench.of(server, client, version); var restarted = Bench.of(server, client, version)) {
            for (int i = 0; i < 4; i++) {
                Expect.equal(before.resumes(NAME, NAME), i > 0, "resumed by the former server");
            }
            var after = new Bench(restarted.server(), before.client());
            Expect.equal(after.resumes(NAME, NAME), false, "at first");
            after.resumes(NAME, NAME); // a second full handshake is an engine's right
            Expect.equal(after.resumes(NAME, NAME), true, "then");
        }
    }

    private void reload(TlsVersion version) throws Exception {
        var directory = Files.createTempDirectory("weft-tls");
        var chain = directory.resolve("chain.pem");
        var key = directory.resolve("key.pem");
        try (var bench = benchOn(chain, key, version)) {
            Expect.equal(bench.resumes(NAME, NAME), false, "first");
            replace(chain, Certificates.RENEWED.chainPem());
            try {
                bench.server().maintain();
                throw new AssertionError("a key that does not belong to the chain was taken");
            } catch (TlsException e) {
                Expect.that(e.getMessage().contains(key.toString()), "the file is named in: " + e.getMessage());
            }
            Expect.equal(bench.resumes(NAME, Optional.of("new")), false, "a new one with the former certificate");
            replace(key, Certificates.RENEWED.keyPem());
            bench.server().maintain();
            if (!bench.resumes(NAME, NAME)) { // an engine may hold a session to the certificates that it began with
                bench.resumes(NAME, NAME);
                Expect.equal(bench.resumes(NAME, NAME), true, "the session from afterwards");
            }
            try (var pair = bench.connect(NAME, Optional.empty()).handshake()) {
                var shown = pair.client().engine().facts().orElseThrow().peerChain();
                Expect.equal(shown, Certificates.RENEWED.certified().chain(), "new chain");
            }
        } finally {
            delete(directory);
        }
    }

    private Bench benchOn(Path chain, Path key, TlsVersion version) throws Exception {
        replace(chain, Certificates.EC.chainPem());
        replace(key, Certificates.EC.keyPem());
        return Bench.of(server, client, KeyMaterial.pem(chain, key), version);
    }

    private static void replace(Path file, byte[] content) throws IOException {
        var fresh = file.resolveSibling("fresh");
        Files.write(fresh, content);
        Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private void sessionDirectory() throws Exception {
        var parent = Files.createTempDirectory("weft-tls");
        var directory = parent.resolve("sessions");
        var settings = ClientSettings.builder().sessionDirectory(directory).build();
        var keeping = client.sessionKeeping(settings);
        var serverSettings = ServerSettings.builder(Certificates.EC.material()).versions(TlsVersion.TLS_1_2).build();
        try (var servers = server.server(serverSettings)) {
            if (!keeping.possible()) {
                Expect.that(!keeping.limits().isEmpty(), "a reason");
                try {
                    client.client(settings).close();
                    throw new AssertionError("a directory that would never be of use was taken");
                } catch (TlsException e) {
                    Expect.that(e.getMessage().contains(directory.toString()), "the directory is named in: " + e.getMessage());
                }
                return;
            }
            for (boolean resumed : new boolean[] {false, true}) {
                try (var context = client.client(settings)) { // one after the other: a restart
                    Expect.equal(new Bench(servers, context).resumes(NAME, NAME), resumed, "resumed from " + directory);
                    var another = Optional.of("another " + resumed);
                    Expect.equal(new Bench(servers, context).resumes(NAME, another), false, "another key");
                }
                Expect.equal(Files.getPosixFilePermissions(directory).size(), 3, "owner's rights to the directory");
                try (var files = Files.list(directory)) {
                    for (var file : files.toList()) {
                        Expect.equal(Files.getPosixFilePermissions(file).size(), 2, "owner's rights to " + file);
                    }
                }
            }
        } finally {
            delete(parent);
        }
    }

    private void unusableDirectory() throws Exception {
        var parent = Files.createTempDirectory("weft-tls");
        try {
            var file = Files.write(parent.resolve("file"), new byte[1]);
            for (var bad : List.of(file, file.resolve("below"), Files.createDirectory(parent.resolve("open")))) {
                if (bad.endsWith("open")) {
                    Files.setPosixFilePermissions(bad, PosixFilePermissions.fromString("rwxr-x---"));
                }
                try {
                    client.client(ClientSettings.builder().sessionDirectory(bad).build()).close();
                    throw new AssertionError(bad + " was taken");
                } catch (TlsException e) {
                    Expect.that(e.getMessage().contains(bad.toString()), "the directory is named in: " + e.getMessage());
                }
            }
        } finally {
            delete(parent);
        }
    }
}
