package dev.weft.examples.lab;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * What the machine must have for a test with real programs. What is missing skips the test; the listener
 * of this module's tests prints the reason.
 */
final class Prerequisites {
    private final List<String> missing = new ArrayList<>();

    /** Root, namespaces, packet filter, Postfix: what a lab of network namespaces needs. */
    Prerequisites namespaces() {
        if (!"root".equals(System.getProperty("user.name"))) {
            missing.add("not root: network namespaces need it; run mvn verify as root");
        }
        program("ip", "iproute2");
        program("ss", "iproute2");
        program("nft", "nftables");
        program("perl", "perl-base");
        program("setpriv", "util-linux");
        program("unshare", "util-linux");
        if (missing.isEmpty() && !Shell.run(List.of("unshare", "--net", "true")).ok()) {
            missing.add("this machine permits no network namespaces (unshare --net fails)");
        }
        if (missing.isEmpty()) {
            nobodyRunsJava();
        }
        return this;
    }

    Prerequisites root() {
        if (!"root".equals(System.getProperty("user.name"))) {
            missing.add("not root: Postfix needs it; run mvn verify as root");
        }
        return this;
    }

    Prerequisites program(String name, String debianPackage) {
        if (Shell.find(name).isEmpty()) {
            missing.add("no program " + name + " (Debian package " + debianPackage + ")");
        }
        return this;
    }

    Prerequisites perlModule(String name, String debianPackage) {
        if (!Shell.run(List.of("perl", "-M" + name, "-e", "1")).ok()) {
            missing.add("no Perl module " + name + " (Debian package " + debianPackage + ")");
        }
        return this;
    }

    Prerequisites javaAtLeast(int version, String reason) {
        if (Runtime.version().feature() < version) {
            missing.add("needs JDK " + version + " or later, this is " + Runtime.version().feature() + ": " + reason);
        }
        return this;
    }

    /** A JDK below a home directory that only its owner may enter is of no use to an unprivileged proxy. */
    private void nobodyRunsJava() {
        var command = new ArrayList<>(ProxyProcess.UNPRIVILEGED);
        command.addAll(List.of(ProxyProcess.JAVA, "-version"));
        if (!Shell.run(command).ok()) {
            missing.add("an unprivileged user cannot run " + ProxyProcess.JAVA + ": use a JDK outside of private directories");
        }
    }

    /** The jar under test is built before these tests run: its absence is a fault of the build, and no reason to skip. */
    static Path proxyJar() {
        var jar = Path.of(System.getProperty("weft.proxy.jar", "target/weft-proxy.jar")).toAbsolutePath();
        if (!Files.isRegularFile(jar)) {
            throw new AssertionError("no proxy at " + jar + ": run these tests by mvn verify, or set -Dweft.proxy.jar=JAR");
        }
        return jar;
    }

    /** Skips the calling test with all that was found missing as the reason. */
    void orSkip() {
        Assumptions.assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    }
}
