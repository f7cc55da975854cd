package dev.weft.examples.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The "new" directory of a Maildir that many recipients share, read by Delivered-To. */
final class Mailbox {
    private static final Pattern DELIVERED_TO = Pattern.compile("^Delivered-To: (\\S+)$", Pattern.MULTILINE);

    private final Path directory;
    private final Set<Path> seen = new HashSet<>();
    private final Map<String, List<Path>> byRecipient = new TreeMap<>();

    Mailbox(Path directory) {
        this.directory = directory;
    }

    List<Path> filesFor(String recipient) {
        if (Files.isDirectory(directory)) {
            // Files come by renaming: one that is there is complete.
            try (var files = Files.newDirectoryStream(directory)) {
                for (var file : files) {
                    if (seen.add(file)) {
                        byRecipient.computeIfAbsent(recipientOf(file), r -> new ArrayList<>()).add(file);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return List.copyOf(byRecipient.getOrDefault(recipient, List.of()));
    }

    private static String recipientOf(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            var header = DELIVERED_TO.matcher(new String(in.readNBytes(2_048), StandardCharsets.ISO_8859_1));
            if (!header.find()) {
                throw new IllegalStateException("no Delivered-To in " + file);
            }
            return header.group(1);
        }
    }
}
