package dev.weft.examples.bench.experiments;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads a log that another process writes: each line once, and only when it is complete. */
final class LogReader {

    private final Path file;
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private long position;

    /** The file need not be there yet. */
    LogReader(Path file) {
        this.file = file;
    }

    /** The lines that have been completed since the last call. */
    List<String> lines() throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        var lines = new ArrayList<String>();
        try (var channel = FileChannel.open(file)) {
            var buffer = ByteBuffer.allocate(1 << 16);
            for (int read = channel.read(buffer, position); read > 0; read = channel.read(buffer.clear(), position)) {
                position += read;
                split(buffer.flip(), lines);
            }
        }
        return lines;
    }

    private void split(ByteBuffer bytes, List<String> lines) {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (next == '\n') {
                lines.add(begun.toString(StandardCharsets.UTF_8));
                begun.reset();
            } else {
                begun.write(next);
            }
        }
    }
}
