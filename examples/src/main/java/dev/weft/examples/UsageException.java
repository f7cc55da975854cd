package dev.weft.examples;

/** The command line is wrong; the message is one line that names the option and the mend. */
final class UsageException extends Exception {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
