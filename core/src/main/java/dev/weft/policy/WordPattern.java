package dev.weft.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A phrase that is looked for among the words of a text, in time proportional to the text: words in order, of which one that
 * ends in {@code *} stands for all that begin so, and {@code ...} for up to {@value #WIDEST_GAP} other words.
 */
final class WordPattern {

    static final int WIDEST_GAP = 8;

    private final String text;
    private final String[] words;
    private final boolean[] prefix;
    private final boolean[] gapBefore;

    private WordPattern(String text, List<String> words, boolean[] prefix, boolean[] gapBefore) {
        this.text = text;
        this.words = words.toArray(String[]::new);
        this.prefix = prefix;
        this.gapBefore = gapBefore;
    }

    /** Throws an IllegalArgumentException that says what is wrong with the phrase. */
    static WordPattern of(String text) {
        var parts = text.strip().toLowerCase(Locale.ROOT).split("\\s+");
        var words = new ArrayList<String>();
        var prefix = new boolean[parts.length];
        var gapBefore = new boolean[parts.length];
        boolean gap = false;
        for (var part : parts) {
            if (part.equals("...")) {
                gap = true;
                continue;
            }
            boolean begins = part.endsWith("*");
            var word = begins ? part.substring(0, part.length() - 1) : part;
            if (word.isEmpty() || !word.chars().allMatch(Character::isLetterOrDigit)) {
                throw new IllegalArgumentException("phrase \"" + text + "\": \"" + part
                        + "\" is no word; give words of letters and digits, word* for all that begin so, ... for words between");
            }
            prefix[words.size()] = begins;
            gapBefore[words.size()] = gap && !words.isEmpty();
            words.add(word);
            gap = false;
        }
        if (words.isEmpty()) {
            throw new IllegalArgumentException("phrase \"" + text + "\" has no word");
        }
        return new WordPattern(text, words, prefix, gapBefore);
    }

    /** The lower-case words of a text: its stretches of letters and digits. */
    static List<String> wordsOf(String text) {
        var words = new ArrayList<String>();
        int start = -1;
        for (int i = 0; i <= text.length(); i++) {
            boolean inWord = i < text.length() && Character.isLetterOrDigit(text.charAt(i));
            if (inWord && start < 0) {
                start = i;
            } else if (!inWord && start >= 0) {
                words.add(text.substring(start, i).toLowerCase(Locale.ROOT));
                start = -1;
            }
        }
        return words;
    }

    boolean isIn(List<String> texts) {
        // For each beginning of the phrase, where its last match ended: the latest serves best, for a gap as for none.
        var endedAt = new int[words.length];
        Arrays.fill(endedAt, Integer.MIN_VALUE / 2);
        for (int at = 0; at < texts.size(); at++) {
            for (int i = words.length - 1; i >= 0; i--) {
                if (matches(i, texts.get(at)) && (i == 0 || at - endedAt[i - 1] <= (gapBefore[i] ? WIDEST_GAP + 1 : 1))) {
                    endedAt[i] = at;
                }
            }
            if (endedAt[words.length - 1] == at) {
                return true;
            }
        }
        return false;
    }

    private boolean matches(int i, String word) {
        return prefix[i] ? word.startsWith(words[i]) : word.equals(words[i]);
    }

    @Override
    public String toString() {
        return text;
    }
}
