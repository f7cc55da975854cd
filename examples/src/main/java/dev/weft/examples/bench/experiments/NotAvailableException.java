package dev.weft.examples.bench.experiments;

/** A contender can't take part, for the reason in its message; the others can. */
final class NotAvailableException extends Exception {
    private static final long serialVersionUID = 1L;

    NotAvailableException(String message) {
        super(message);
    }
}
