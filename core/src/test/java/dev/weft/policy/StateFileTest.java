package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {

    @TempDir
    Path directory;

    /** Keeps its records as they are; a second field must be a number. */
    private static final class Numbers implements StateFile.Part {
        final String name;
        final List<List<String>> records = new ArrayList<>();

        Numbers(String name) {
            this.name = name;
        }

        @Override
        public String stateName() {
            return name;
        }

        @Override
        public void save(Consumer<List<String>> out) {
            records.forEach(out);
        }

        @Override
        public void load(List<String> fields) {
            Integer.parseInt(fields.get(1));
            records.add(fields);
        }
    }

    private Path file() {
        return directory.resolve("state");
    }

    private StateFile.Loaded load(Numbers into) throws IOException {
        return StateFile.of(file(), into).load();
    }

    @Test
    void anythingComesBackAsItWas() throws IOException {
        var one = new Numbers("one");
        var two = new Numbers("two");
        one.records.add(List.of("plain", "1"));
        one.records.add(List.of("", "-2", "a b", "100%", "x\ny\u0000", "grüße ✉", "%41"));
        two.records.add(List.of("plain", "3"));
        assertThat(StateFile.of(file(), one, two).save()).isEqualTo(3);
        assertThat(Files.readString(file())).isEqualTo("""
                weft-state 1
                one plain 1
                one % -2 a%20b 100%25 x%0Ay%00 gr%C3%BC%C3%9Fe%20%E2%9C%89 %2541
                two plain 3
                end 3
                """);
        var again = new Numbers("one");
        var other = new Numbers("two");
        assertThat(StateFile.of(file(), again, other).load()).isEqualTo(new StateFile.Loaded(3, 0, 0, true));
        assertThat(again.records).isEqualTo(one.records);
        assertThat(other.records).isEqualTo(two.records);
    }

    @Test
    void isForItsOwnerOnlyAndLeavesNothingBeside() throws IOException {
        var one = new Numbers("one");
        one.records.add(List.of("a", "1"));
        Files.writeString(file(), "weft-state 1\nend 0\n");
        Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
        var elsewhere = Files.writeString(directory.resolve("precious"), "kept");
        Files.createSymbolicLink(directory.resolve(".state.new"), elsewhere); // in the way of what is written beside
        StateFile.of(file(), one).save();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file()))).isEqualTo("rw-------");
        assertThat(elsewhere).hasContent("kept");
        try (var files = Files.list(directory)) {
            assertThat(files.map(path -> path.getFileName().toString())).containsExactlyInAnyOrder("state", "precious");
        }
    }

    @Test
    void damagedLinesCostThemselvesOnly() throws IOException {
        Files.writeString(file(), "weft-state 1\none a 1\none b x\none\n\nelse c 3\none d %4\none e 5 %zz\n"
                + "one " + "f".repeat(20_000) + " 1\none g 7\nend 9\n");
        var one = new Numbers("one");
        assertThat(load(one)).isEqualTo(new StateFile.Loaded(2, 6, 1, true));
        assertThat(one.records).containsExactly(List.of("a", "1"), List.of("g", "7"));
    }

    @Test
    void cutAnywhereLoadsTheWholeLinesBefore() throws IOException {
        var text = "weft-state 1\none a 1\none b%20c 22\nend 2\n";
        for (int cut = 0; cut < text.length(); cut++) {
            Files.writeString(file(), text.substring(0, cut));
            var one = new Numbers("one");
            if (cut < "weft-state 1\n".length()) {
                assertThatThrownBy(() -> load(one)).isInstanceOf(IOException.class).hasMessageContaining("weft-state 1");
                continue;
            }
            var loaded = load(one);
            assertThat(loaded.whole()).as("cut at %d", cut).isFalse();
            assertThat(loaded.loaded()).isEqualTo(text.substring(0, cut).split("\n", -1).length - 2);
        }
        Files.writeString(file(), text);
        assertThat(load(new Numbers("one")).whole()).isTrue();
    }

    @Test
    void garbageIsNeverMoreThanDamage() throws IOException {
        long seed = new Random().nextLong();
        var random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            var garbage = new byte[random.nextInt(400)];
            random.nextBytes(garbage);
            var text = "weft-state 1\none ".getBytes(StandardCharsets.US_ASCII);
            var all = Arrays.copyOf(text, text.length + garbage.length);
            System.arraycopy(garbage, 0, all, text.length, garbage.length);
            Files.write(file(), all);
            assertThat(load(new Numbers("one")).whole()).as("seed %d", seed).isFalse();
        }
    }

    @Test
    void aMissingFileIsAnEmptyOneAndAnotherVersionIsLeftAlone() throws IOException {
        assertThat(load(new Numbers("one"))).isEqualTo(new StateFile.Loaded(0, 0, 0, true));
        Files.writeString(file(), "weft-state 2\n");
        assertThatThrownBy(() -> load(new Numbers("one"))).isInstanceOf(IOException.class)
                .hasMessageContaining(file().toString());
        assertThat(file()).hasContent("weft-state 2");
    }

    @Test
    void theBoundHoldsForSavingAndLoading() throws IOException {
        var one = new Numbers("one");
        for (int i = 0; i < 1000; i++) {
            one.records.add(List.of("key" + i, "1"));
        }
        int saved = StateFile.of(file(), one).withMostBytes(2048).save();
        assertThat(saved).isBetween(100, 999);
        assertThat(Files.size(file())).isBetween(1900L, 2048L);
        var again = new Numbers("one");
        assertThat(StateFile.of(file(), again).withMostBytes(2048).load()).isEqualTo(new StateFile.Loaded(saved, 0, 0, true));
        StateFile.of(file(), one).save();
        var part = StateFile.of(file(), new Numbers("one")).withMostBytes(1024).load();
        assertThat(part.whole()).isFalse();
        assertThat(part.loaded()).isBetween(50, 100);
    }

    @Test
    void aFailedSaveLeavesTheFormerFile() throws IOException {
        Files.writeString(file(), "weft-state 1\nend 0\n");
        var failing = new Numbers("one");
        failing.records.add(null);
        assertThatThrownBy(() -> StateFile.of(file(), failing).save()).isInstanceOf(NullPointerException.class);
        assertThat(file()).hasContent("weft-state 1\nend 0");
        var nowhere = StateFile.of(directory.resolve("missing").resolve("state"), new Numbers("one"));
        assertThatThrownBy(nowhere::save).isInstanceOf(IOException.class)
                .hasMessageContaining("missing/state can't be written").hasMessageContaining("directory must be there");
        var notAFile = StateFile.of(directory, new Numbers("one"));
        for (ThrowingCallable call : List.<ThrowingCallable>of(notAFile::load, notAFile::save)) {
            assertThatThrownBy(call).isInstanceOf(IOException.class).hasMessageContaining("state file " + directory + " can't be");
        }
        try (var beside = Files.list(directory.getParent())) {
            assertThat(beside.map(path -> path.getFileName().toString())).doesNotContain("." + directory.getFileName() + ".new");
        }
    }

    @Test
    void recordsThatCanNotBeWrittenAreNoticedWhenSaving() throws IOException {
        Files.writeString(file(), "weft-state 1\nend 0\n");
        var nothing = new Numbers("one");
        nothing.records.add(List.of());
        assertThatThrownBy(() -> StateFile.of(file(), nothing).save()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"one\"").hasMessageContaining("give at least one");
        assertThat(file()).hasContent("weft-state 1\nend 0");
        var long16 = new Numbers("one");
        long16.records.add(List.of("a", "1"));
        long16.records.add(List.of("b".repeat(17_000), "2"));
        assertThat(StateFile.of(file(), long16).save()).isEqualTo(1);
    }

    /** A copy with another bound is the same file: two that wrote beside it at once would move each other's half there. */
    @Test
    void copiesWithAnotherBoundTakeTurns() throws Exception {
        var parts = new Numbers[2];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = new Numbers("part" + i);
            for (int record = 0; record < 2000; record++) {
                parts[i].records.add(List.of("key" + record, "1"));
            }
        }
        var one = StateFile.of(file(), parts);
        var other = one.withMostBytes(1 << 20);
        Callable<Void> saving = () -> {
            for (int i = 0; i < 50; i++) {
                one.save();
            }
            return null;
        };
        Callable<Void> savingToo = () -> {
            for (int i = 0; i < 50; i++) {
                other.save();
                var loaded = StateFile.of(file(), new Numbers("part0"), new Numbers("part1")).load();
                assertThat(loaded).isEqualTo(new StateFile.Loaded(4000, 0, 0, true));
            }
            return null;
        };
        var threads = Executors.newFixedThreadPool(2);
        try {
            for (var done : threads.invokeAll(List.of(saving, savingToo))) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void aHostKeepsWhatItWantsToo() throws IOException {
        var limits = new TreeMap<>(Map.of("mx one", 7, "mx two", 12));
        StateFile.of(file(), limits(limits)).save();
        var again = new TreeMap<String, Integer>();
        assertThat(StateFile.of(file(), limits(again)).load()).isEqualTo(new StateFile.Loaded(2, 0, 0, true));
        assertThat(again).isEqualTo(limits);
    }

    private static StateFile.Part limits(Map<String, Integer> limits) {
        return StateFile.part("leg-limits",
                out -> limits.forEach((destination, legs) -> out.accept(List.of(destination, legs.toString()))),
                fields -> limits.put(fields.get(0), Integer.parseInt(fields.get(1))));
    }

    @Test
    void namesAreChecked() {
        var one = new Numbers("one");
        assertThatThrownBy(() -> StateFile.of(file(), one, new Numbers("one"))).hasMessageContaining("two parts")
                .hasMessageContaining("one");
        assertThatThrownBy(() -> StateFile.of(file(), new Numbers("a b"))).hasMessageContaining("a%20b");
        assertThatThrownBy(() -> StateFile.of(file(), new Numbers("end"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> StateFile.of(file(), one).withMostBytes(10)).hasMessageContaining("1024");
    }
}
