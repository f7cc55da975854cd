package dev.weft.examples.bench;

/** What goes wrong at a server in a fault trial, in place of its answer or behind it. */
enum TrialFault {
    NONE("nothing"),
    SLOW("a late answer"),
    SILENT("no answer"),
    CUT("closed without an answer"),
    RESET("reset without an answer"),
    SAYS_421("421 and closed"),
    CROWDED("421 too many connections"),
    TEMPORARY("4xx"),
    PERMANENT("5xx"),
    UNKNOWN("502"),
    /** The message was taken, and nobody is told. */
    TAKEN_CUT("taken, then closed"),
    TAKEN_RESET("taken, then reset"),
    TAKEN_SILENT("taken, no answer"),
    /** Behind a good answer. */
    THEN_CUT("answered, then closed"),
    THEN_RESET("answered, then reset"),
    THEN_421("answered, then 421"),
    /** The listener is gone for a moment. */
    AWAY("connects refused");

    /** When it happens. */
    enum Moment { ACCEPT, GREETING, EHLO, MAIL, RCPT, DATA, MESSAGE, END, RSET, IDLE, QUIT }

    final String words;

    TrialFault(String words) {
        this.words = words;
    }
}
