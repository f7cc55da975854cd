package dev.weft.session;

import dev.weft.smtp.EnhancedCode;
import dev.weft.smtp.Reply;
import java.util.ArrayList;
import java.util.List;

/** The proxy's own replies. Each says what a postmaster can act on. */
final class Answers {

    private static final String CLOSING = ", closing";
    /** So that code, enhanced code and our own words still leave a line of SMTP (RFC 5321 §4.5.3.1.5: 512 octets). */
    private static final int LONGEST_QUOTED_LINE = 400;
    /**
     * What a server said once and each recipient is told may be so long in all, since a client can ask for it a thousand times
     * before it reads any of it.
     */
    private static final int LONGEST_REPEATED = 2048;

    static final Reply BYE = Reply.of(221, "2.0.0", "Bye");
    static final Reply OK = Reply.of(250, "2.0.0", "Ok");
    static final Reply LINE_TOO_LONG = Reply.of(500, "5.5.2", "Command line too long");
    static final Reply BARE_LINE_END = Reply.of(500, "5.5.2", "Command line holds a bare CR or LF: lines end in CRLF");
    static final Reply RSET_REFUSED = Reply.of(421, "4.5.0", "Server refuses RSET" + CLOSING);
    static final Reply NOT_RECOGNIZED = Reply.of(500, "5.5.2", "Command not recognized");
    static final Reply NOT_OFFERED = Reply.of(502, "5.5.1", "Command not offered");
    static final Reply AUTH_NOT_OFFERED = Reply.of(503, "5.5.1", "AUTH was not offered");
    static final Reply CHUNKING_NOT_OFFERED = Reply.of(503, "5.5.1", "CHUNKING was not offered");
    static final Reply NO_MESSAGE_OPEN = Reply.of(503, "5.5.1", "The message was refused already: RSET or MAIL first");
    static final Reply NO_TRANSACTION = Reply.of(503, "5.5.1", "No transaction is open: MAIL first");
    static final Reply MESSAGE_BEGUN = Reply.of(503, "5.5.1", "The message has begun: RSET first");
    static final Reply CHUNK_REFUSED = Reply.of(503, "5.5.1", "An earlier chunk was refused: RSET first");
    static final Reply NESTED_MAIL = Reply.of(503, "5.5.1", "MAIL is nested: RSET first");
    static final Reply BAD_CHUNK = Reply.of(421, "4.5.4", "BDAT size not understood: the octets behind it can't be told from commands, closing");
    static final Reply SENT_WITH_AUTH = Reply.of(500, "5.5.2", "Command not recognized: nothing may be sent along with AUTH");
    static final Reply SMUGGLING =
            Reply.of(550, "5.5.2", "Message refused: it holds a dot between bare CR or LF that may be read as its end");
    static final Reply BARE_IN_MESSAGE = Reply.of(550, "5.5.2", "Message refused: it holds a bare CR or LF");
    static final Reply EARLY_ACCEPTANCE = Reply.of(451, "4.5.0", "Server answered before the message had ended");
    static final Reply DIED_IN_MESSAGE = Reply.of(451, "4.4.2", "Server closed the connection in the middle of the message");
    static final Reply DIED_BEFORE_ANSWER = Reply.of(451, "4.4.2", "Server closed the connection before it answered this command");
    static final Reply DIED_AFTER_MESSAGE =
            Reply.of(451, "4.4.2", "Server closed the connection before it answered the message: delivery is uncertain");
    static final Reply SLOW_AFTER_MESSAGE =
            Reply.of(451, "4.4.2", "Server did not answer the message in time: delivery is uncertain");
    static final Reply SEND_MESSAGE = Reply.plain(354, "Send the message, end it with <CRLF>.<CRLF>");
    static final Reply NO_RECIPIENTS = Reply.of(503, "5.5.1", "No valid recipients");
    static final Reply TOO_LARGE = Reply.of(552, "5.3.4", "Message is larger than may pass here");
    static final Reply NOT_KEPT = Reply.of(452, "4.3.1", "Message can't be kept for now: insufficient storage");
    static final Reply STORAGE_SLOW = Reply.of(451, "4.3.0", "Message can't be kept for now: storage does not answer");
    static final Reply CONTENT_LOST = Reply.of(451, "4.3.0", "Temporary local problem: the message could not be read again");
    static final Reply DIED_WHILE_HELD = Reply.of(451, "4.4.2", "Server closed the connection before the message was sent on to it");
    static final Reply ENVELOPE_NOT_ACCEPTED_AGAIN =
            Reply.of(451, "4.4.2", "Server connection was lost, and sender or recipients are not accepted again over a new one");
    static final Reply SERVER_CLOSED = Reply.of(421, "4.4.2", "Server closed the connection");
    static final Reply SERVER_SLOW = Reply.of(421, "4.4.2", "Server did not answer in time");
    static final Reply GREETING_SLOW = Reply.of(421, "4.4.1", "Server did not greet in time");
    static final Reply CLOSED_BEFORE_GREETING = Reply.of(421, "4.4.1", "Server closed the connection before its greeting");
    static final Reply OUT_OF_STEP = Reply.of(421, "4.5.0", "Server sent a reply that answers no command" + CLOSING);
    static final Reply MALFORMED = Reply.of(421, "4.5.0", "Server sent what is no SMTP reply" + CLOSING);
    static final Reply REPLY_TOO_LONG = Reply.of(421, "4.5.0", "Server sent a reply that is too long" + CLOSING);
    static final Reply LEG_NOT_REPLACEABLE = Reply.of(421, "4.4.2", "Server connection is gone and can't be replaced unseen, closing");
    static final Reply IDLE = Reply.of(421, "4.4.2", "No command in time, closing");
    static final Reply IDLE_BARE_LF = Reply.of(421, "4.4.2", "No command in time: lines end in CRLF, not in LF alone, closing");
    static final Reply CLIENT_SLOW = Reply.of(421, "4.4.2", "No progress in the message, closing");
    static final Reply STOPPING = Reply.of(421, "4.3.2", "Service is stopping, closing");
    static final Reply HANDLER_FAILED = Reply.of(451, "4.3.0", "Temporary local problem, try again later");
    static final Reply HANDLER_FAILED_AT_CONNECT = Reply.of(421, "4.3.0", "Temporary local problem, try again later");
    static final Reply FAILED = Reply.of(421, "4.3.0", "Local problem, closing");

    static final Reply INJECTED = Reply.of(421, "4.7.0", "Server sent text behind its reply to STARTTLS, closing");
    static final Reply READY_FOR_TLS = Reply.of(220, "2.0.0", "Ready to start TLS");
    static final Reply HELLO_FIRST = Reply.of(503, "5.5.1", "EHLO or HELO first");
    static final Reply HELLO_AGAIN = Reply.of(503, "5.5.1", "EHLO first: what was said before TLS does not count");
    static final Reply TLS_ALREADY = Reply.of(503, "5.5.1", "TLS is active already");
    static final Reply REQUIRETLS_NOT_OFFERED = Reply.of(550, "5.7.30", "REQUIRETLS can't be kept: it was not offered");
    static final Reply STARTTLS_AFTER_AUTH = Reply.of(503, "5.5.1", "STARTTLS comes before AUTH");
    static final Reply STARTTLS_ARGUMENT = Reply.of(501, "5.5.4", "STARTTLS takes no argument");
    static final Reply TLS_REQUIRED = Reply.of(530, "5.7.0", "Must issue a STARTTLS command first");
    static final Reply FALLBACK_REFUSED = Reply.of(421, "4.4.2", "Server refused a second connection after TLS had failed, closing");

    static final Reply SENDER_OK = Reply.of(250, "2.1.0", "Sender ok");
    static final Reply HELLO_ARGUMENT = Reply.of(501, "5.5.4", "EHLO and HELO take a name");
    static final Reply NOT_VERIFIED = Reply.of(252, "2.5.0", "Not verified here: the server judges each recipient");
    static final Reply OTHER_ROUTE = Reply.of(452, "4.5.3", "Recipient goes another way: send it in a transaction of its own");
    static final Reply LEG_LOST = Reply.of(451, "4.4.2", "Server closed the connection");
    static final Reply LEG_SLOW = Reply.of(451, "4.4.2", "Server did not answer in time");
    static final Reply LEASE_IDLE = Reply.of(451, "4.4.2", "No command in time: the server connection was given up");

    private Answers() {}

    /** Both are digits only. */
    static Reply beyondOffer(String announced, long offered) {
        return Reply.of(552, "5.3.4",
                "Message of " + announced + " octets is larger than the " + offered + " that the server takes");
    }

    static Reply lacks(String keyword) {
        return Reply.of(451, "4.3.3", "Server connection lacks " + printable(keyword) + ", which was offered: EHLO again");
    }

    /**
     * A server's 421 as a 451: a 421 would tell the client that it is this session that ends, and many a client puts off all mail
     * to a destination that says it. What the server says of its closing is true of the leg only, so it is quoted. The server's
     * enhanced code stays; without one it is that its system takes no messages now (RFC 3463 §3.4), as 421 means.
     */
    static Reply softened(Reply said) {
        var code = said.enhancedCode().map(given -> new EnhancedCode(4, given.subject(), given.detail()))
                .orElse(new EnhancedCode(4, 3, 2)).toString();
        var quoted = quoted(said, "nnn-".length() + code.length());
        var lines = new ArrayList<String>();
        for (var text : quoted) {
            if (lines.isEmpty()) {
                lines.add(("Server ended this transaction: " + said.code() + " " + text).stripTrailing());
            } else {
                boolean repeats = (text + " ").startsWith(code + " "); // as each line of ours does
                lines.add(repeats ? text.substring(code.length()).strip() : text);
            }
        }
        return Reply.of(451, code, lines.toArray(String[]::new));
    }

    /** What a server said of MAIL, as it is to be said of each recipient: in its own octets, but only in part if that is much. */
    static Reply repeatable(Reply said) {
        return said.length() <= LONGEST_REPEATED
                ? said : Reply.plain(said.code(), quoted(said, "nnn-".length()).toArray(String[]::new));
    }

    /** The first lines, with so many octets to each beside its text. */
    private static List<String> quoted(Reply said, int besideText) {
        var lines = new ArrayList<String>();
        int room = LONGEST_REPEATED - 50; // for our own words in the first
        for (var line : said.lines()) {
            var text = printable(line, LONGEST_QUOTED_LINE);
            room -= besideText + text.length() + " \r\n".length();
            if (room < 0) {
                break;
            }
            lines.add(text);
        }
        return lines;
    }

    /** A 421 of the proxy's own about a leased leg: it is not the client's session that closes. */
    static Reply aboutLeg(Reply closing) {
        var code = closing.enhancedCode().orElseThrow().toString();
        var text = closing.text().substring(code.length() + 1);
        return Reply.of(451, code, text.endsWith(CLOSING) ? text.substring(0, text.length() - CLOSING.length()) : text);
    }

    static Reply unreachable(String why) {
        return Reply.of(421, "4.4.1", "Server can't be reached: " + printable(why));
    }

    /** Texts from exceptions may hold anything; a reply may not. */
    static String printable(String text) {
        return printable(text, 200);
    }

    private static String printable(String text, int longest) {
        var clean = text.replaceAll("[^\\x20-\\x7e]", "?");
        return clean.length() <= longest ? clean : clean.substring(0, longest);
    }
}
