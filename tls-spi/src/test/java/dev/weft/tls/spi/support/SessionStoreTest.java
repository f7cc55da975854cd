package dev.weft.tls.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionStoreTest {
    private static final Duration LONG = Duration.ofHours(1);

    private static byte[] data(int n) {
        return new byte[] {(byte) n, 2, 3};
    }

    @Test
    void latestOfEachKeyIsThereAfterARestart(@TempDir Path parent) throws Exception {
        var directory = parent.resolve("a/b");
        var store = SessionStore.open(directory, 10, LONG);
        store.put("one \u20ac", data(1));
        store.write();
        store.put("two", data(2));
        store.put("one \u20ac", data(3));
        store.write();

        var restarted = SessionStore.open(directory, 10, LONG);

        assertThat(restarted.get("one \u20ac")).contains(data(3));
        assertThat(restarted.get("two")).contains(data(2));
        assertThat(restarted.get("three")).isEmpty();
    }

    @Test
    void surplusAndTooOldOnesAreForgottenWithTheirFiles(@TempDir Path directory) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        var store = SessionStore.open(directory, 3, LONG);
        for (int i = 0; i < 5; i++) {
            store.put("key " + i, data(i));
        }
        store.write();
        try (var files = Files.list(directory)) {
            assertThat(files.count()).isEqualTo(3);
        }

        var impatient = SessionStore.open(directory, 3, Duration.ZERO);
        assertThat(impatient.get("key 4")).isEmpty();
        impatient.write();
        try (var files = Files.list(directory)) {
            assertThat(files.count()).isZero();
        }
    }

    @Test
    void brokenFileIsAsIfItWereNotThere(@TempDir Path parent) throws Exception {
        var directory = parent.resolve("sessions");
        var store = SessionStore.open(directory, 10, LONG);
        store.put("one", data(1));
        store.put("two", data(2));
        store.write();
        Files.write(directory.resolve("0000.session"), new byte[] {1, 0, 0});
        try (var files = Files.list(directory)) {
            var file = files.filter(each -> !each.endsWith("0000.session")).findFirst().orElseThrow();
            Files.write(file, new byte[] {1, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, 5});
        }

        var restarted = SessionStore.open(directory, 10, LONG);

        assertThat(restarted.get("one").isPresent()).isNotEqualTo(restarted.get("two").isPresent());
    }

    @Test
    void memoryAloneHasItsLimitToo() throws Exception {
        var store = SessionStore.inMemory(10, LONG);
        for (int i = 0; i < 1000; i++) {
            store.put("key " + i, data(i));
        }
        store.write();

        assertThat(store.get("key 999")).isPresent();
        assertThat(store.get("key 0")).isEmpty();
    }
}
