package dev.weft.tls.spi;

/** A context or an engine could not be made. The message names what was wrong and what would mend it. */
public class TlsException extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Tells what was wrong.
     *
     * @param message what was wrong and what would mend it
     */
    public TlsException(String message) {
        super(message);
    }

    /**
     * Tells what was wrong, and what caused it.
     *
     * @param message what was wrong and what would mend it
     * @param cause what was thrown below
     */
    public TlsException(String message, Throwable cause) {
        super(message, cause);
    }
}
