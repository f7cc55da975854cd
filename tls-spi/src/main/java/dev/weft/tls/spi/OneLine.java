package dev.weft.tls.spi;

/** Texts of engines and peers, made fit for one line of a log or a reply. */
final class OneLine {
    private static final int LONGEST = 200;

    private OneLine() {}

    static String of(String text) {
        var line = new StringBuilder();
        for (int i = 0; i < text.length() && line.length() < LONGEST; i++) {
            char c = text.charAt(i);
            if (c == '\n' || c == '\r') {
                if (!line.isEmpty()) {
                    break;
                }
            } else {
                line.append(printable(c));
            }
        }
        return line.toString().strip();
    }

    /** Keeps the length: a name that is cut or loses a character could become another one. */
    static String printable(String text) {
        var line = new StringBuilder();
        text.chars().forEach(c -> line.append(printable((char) c)));
        return line.toString();
    }

    private static char printable(char c) {
        return c < ' ' || c > '~' ? '?' : c;
    }
}
