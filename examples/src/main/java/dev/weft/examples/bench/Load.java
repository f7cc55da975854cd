package dev.weft.examples.bench;

import java.util.Arrays;
import java.util.List;

/** The cases whose throughput and CPU are measured. */
enum Load {
    ONE_AT_1("1x1", "1 msg/session, 1 at a time", 1, false, 4096, 10_000, false, false),
    ONE_AT_20("1x20", "1 msg/session, 20", 20, false, 4096, 20_000, true, true),
    ONE_AT_100("1x100", "1 msg/session, 100", 100, false, 4096, 20_000, true, true),
    MANY_AT_20("many20", "many/session, 20", 20, true, 4096, 40_000, true, true),
    MANY_AT_100("many100", "many/session, 100", 100, true, 4096, 40_000, true, true),
    MEGABYTE("1mb10", "1 MB, many, 10", 10, true, 1 << 20, 1_000, false, true);

    final String key;
    final String title;
    final int sessions;
    final boolean reuse;
    final int size;
    final int messages;
    final boolean throughputTarget;
    final boolean cpuTarget;

    Load(String key, String title, int sessions, boolean reuse, int size, int messages,
            boolean throughputTarget, boolean cpuTarget) {
        this.key = key;
        this.title = title;
        this.sessions = sessions;
        this.reuse = reuse;
        this.size = size;
        this.messages = messages;
        this.throughputTarget = throughputTarget;
        this.cpuTarget = cpuTarget;
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(load -> load.key).toList();
    }
}
