package dev.weft.examples;

import dev.weft.examples.bench.StageTable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;

/** Prints what each step of SMTP sessions with a server takes, TLS handshakes included: {@link StageTable#USAGE}. */
public final class StageTimer {

    private StageTimer() {}

    /**
     * Measures. Exits with 0 if all sessions went well, 1 if not, 2 if the command line is wrong.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(run(arguments, System.out, System.err));
    }

    static int run(String[] arguments, PrintStream out, PrintStream err) {
        if (arguments.length == 0 || Arrays.asList(arguments).contains("--help")) {
            out.print(StageTable.USAGE);
            return arguments.length == 0 ? 2 : 0;
        }
        try {
            var server = Values.address("the server", arguments[0], 1);
            return StageTable.run(server, Arrays.copyOfRange(arguments, 1, arguments.length), out);
        } catch (UsageException | IllegalArgumentException e) {
            err.println("stage-timer: " + e.getMessage());
            return 2;
        } catch (IllegalStateException | IOException e) {
            err.println("stage-timer: " + e.getMessage());
            return 1;
        }
    }
}
