package dev.weft.tls.testkit;

import dev.weft.tls.spi.TlsBackend;
import dev.weft.tls.spi.TlsVersion;
import java.util.ArrayList;
import java.util.List;

/**
 * What every backend must do, as checks to be run by any test framework or by {@link #run}. Each pair of backends can be
 * checked: the one under test with itself, and with another on either side.
 */
public final class TlsContract {

    /** One thing to be checked. */
    @FunctionalInterface
    public interface Body {

        /**
         * Checks it.
         *
         * @throws Exception if something could not be done; an {@link AssertionError} if it was not as it must be
         */
        void run() throws Exception;
    }

    /**
     * One thing to be checked, with its name.
     *
     * @param name what must be so
     * @param body checks it
     */
    public record Check(String name, Body body) {}

    private TlsContract() {}

    /**
     * All checks.
     *
     * @param server the backend of the server's side
     * @param client the backend of the client's side
     * @return in no order that matters
     */
    public static List<Check> all(TlsBackend server, TlsBackend client) {
        var checks = new ArrayList<Check>();
        checks.addAll(HandshakeChecks.of(server, client));
        checks.addAll(CertificateChecks.of(server, client));
        for (var version : List.of(TlsVersion.TLS_1_2, TlsVersion.TLS_1_3)) {
            checks.addAll(engine(server, client, version));
        }
        checks.addAll(ResumptionChecks.of(server, client));
        return checks;
    }

    /**
     * The checks of engines that need no cryptography: bytes, closing, failing.
     *
     * @param server the backend of the server's side
     * @param client the backend of the client's side
     * @param version the version to do it with
     * @return in no order that matters
     */
    public static List<Check> engine(TlsBackend server, TlsBackend client, TlsVersion version) {
        var checks = new ArrayList<Check>();
        checks.addAll(DataChecks.of(server, client, version));
        checks.addAll(ClosingChecks.of(server, client, version));
        checks.addAll(FailureChecks.of(server, client, version));
        return checks;
    }

    /**
     * Runs checks without a test framework.
     *
     * @param checks those to run
     * @throws AssertionError if one failed, with all failures in it
     */
    public static void run(List<Check> checks) {
        AssertionError failed = null;
        for (var check : checks) {
            try {
                check.body().run();
            } catch (Exception | AssertionError e) {
                if (failed == null) {
                    failed = new AssertionError("not all checks passed");
                }
                failed.addSuppressed(new AssertionError(check.name(), e));
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
