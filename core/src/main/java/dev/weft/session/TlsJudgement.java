package dev.weft.session;

import dev.weft.relay.LegTls;
import dev.weft.relay.Route;
import dev.weft.relay.TlsPolicy;
import dev.weft.smtp.Reply;
import java.util.Optional;

/** What is judged alike wherever a server leg gets its TLS: the name to ask for, the certificate, the refusal of EHLO. */
final class TlsJudgement {

    private TlsJudgement() {}

    /** Why the certificate does not do for the policy; null if it does. */
    static String unverified(TlsPolicy policy, LegTls tls) {
        if (!(policy instanceof TlsPolicy.Verify) || tls.peer().verified()) {
            return null;
        }
        return "the server's certificate is not verified: "
                + (tls.peer().trusted() ? "it is made out to other names" : tls.peer().detail());
    }

    /** What is told where mail may not pass because of the policy. */
    static Reply unmet(String why) {
        return Reply.of(451, "4.7.5", "TLS policy can't be met: " + Answers.printable(why));
    }

    /** The server does not know the command, which is another thing than to refuse this client. */
    static boolean unknown(Reply reply) {
        return reply.code() == 500 || reply.code() == 502 || reply.code() == 504;
    }

    /**
     * The name to ask the server for: the route's, else the one by which the server greets, which is a hint and no more.
     *
     * @param greeting the server's greeting; null if none came
     */
    static Optional<String> serverName(Route route, Reply greeting) {
        return route.serverName().or(() -> Optional.ofNullable(greeting).map(TlsJudgement::announced).filter(TlsJudgement::isHostName));
    }

    private static String announced(Reply greeting) {
        var word = greeting.lines().get(0).trim().split("[ \t]+")[0];
        return word.endsWith(".") ? word.substring(0, word.length() - 1) : word;
    }

    private static boolean isHostName(String name) {
        return name.length() <= 253 && name.matches("(?i)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+")
                && !name.matches("[0-9.]+");
    }
}
