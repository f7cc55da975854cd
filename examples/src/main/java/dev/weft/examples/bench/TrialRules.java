package dev.weft.examples.bench;

import java.util.Locale;

/** What a proxy must not do to a server over one connection; notes in the ledger where it does. */
final class TrialRules {

    /** What no leg may be used again with: more refusals than the pool allows, or more transactions. */
    static final int MOST_REFUSALS = 3;
    static final int MOST_TRANSACTIONS = 30;

    private final TrialLedger ledger;
    private final int number;
    private final boolean pipelining;
    private final boolean eightBit;
    private int refusals;
    private int transactions;
    private boolean saidEnd;

    /**
     * The rules of a connection.
     *
     * @param pipelining whether it offers that, and 8BITMIME
     */
    TrialRules(TrialLedger ledger, int number, boolean pipelining, boolean eightBit) {
        this.ledger = ledger;
        this.number = number;
        this.pipelining = pipelining;
        this.eightBit = eightBit;
    }

    /** The answer to EHLO or HELO. */
    String hello(String command) {
        return command.toUpperCase(Locale.ROOT).startsWith("HELO") || !pipelining && !eightBit ? "250 mx.example"
                : "250-mx.example\r\n" + (pipelining ? "250-PIPELINING\r\n" : "") + (eightBit ? "250-8BITMIME\r\n" : "")
                        + "250 ENHANCEDSTATUSCODES";
    }

    int transactions() {
        return transactions;
    }

    /** The server refuses something of a transaction. */
    void refuses() {
        refusals++;
    }

    /** The server answers with a 421, and closes; no transaction may begin behind that. */
    void endsIt() {
        saidEnd = true;
    }

    /** A command came; more came along with it. */
    void command(String text, boolean more) {
        if (!text.endsWith("\r\n")) {
            wrong("a line without CRLF: " + text.strip());
        }
        if (more && !pipelining) {
            wrong("pipelined without leave behind " + text.strip());
        }
    }

    /** MAIL came. */
    void mail(String text, boolean open) {
        if (open) {
            wrong("MAIL within a transaction");
        }
        if (refusals > MOST_REFUSALS) {
            wrong("used again after " + refusals + " refusals");
        }
        if (++transactions > MOST_TRANSACTIONS) {
            wrong("used for " + transactions + " transactions");
        }
        if (text.contains("BODY=8BITMIME") && !eightBit) {
            wrong("was told 8BITMIME without offering it");
        }
    }

    /** A recipient of one message came in the transaction of another, or of the same. */
    void recipient(String id, String open) {
        if (!open.equals(id)) {
            wrong("a recipient of " + id + " in the transaction of " + open);
        }
    }

    /** The other side has closed, and this was not read any more. */
    void unread(String text) {
        if (saidEnd && text.contains("MAIL FROM")) {
            wrong("used again behind a 421");
        }
    }

    void wrong(String what) {
        ledger.broken("leg " + number + ": " + what);
    }
}
