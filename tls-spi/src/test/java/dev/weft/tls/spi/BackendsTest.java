package dev.weft.tls.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.tls.testkit.IdentityBackend;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackendsTest {

    /** A backend that can run. */
    public static final class Good extends Stub {
        public Good() {
            super("good", 5, Optional.empty());
        }
    }

    /** A better one that can't. */
    public static final class Lame extends Stub {
        public Lame() {
            super("lame", 10, Optional.of("it has no legs: give it some"));
        }
    }

    /** One whose native library is not there, say. */
    public static final class Broken extends Stub {
        public Broken() {
            super("broken", 20, Optional.empty());
        }

        @Override
        public Optional<String> unavailable() {
            throw new NoClassDefFoundError("org/example/Engine");
        }
    }

    /** One that can't even be made. */
    public static final class Stillborn extends Stub {
        public Stillborn() {
            super("stillborn", 30, Optional.empty());
            throw new UnsatisfiedLinkError("no library");
        }
    }

    /** One more of a name that is taken. */
    public static final class Twin extends Stub {
        public Twin() {
            super("good", 50, Optional.empty());
        }
    }

    private static Backends find(Path directory, String... classes) throws Exception {
        var services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.write(services.resolve(TlsBackend.class.getName()), List.of(classes));
        try (var loader = new URLClassLoader(new URL[] {directory.toUri().toURL()}, BackendsTest.class.getClassLoader())) {
            return Backends.find(loader);
        }
    }

    @Test
    void bestIsTheHighestThatCanRunAndBrokenOnesAreReported(@TempDir Path directory) throws Exception {
        var found = find(directory, Stillborn.class.getName(), "org.example.NotThere", Broken.class.getName(),
                Lame.class.getName(), Good.class.getName(), Twin.class.getName());

        assertThat(found.best()).get().isInstanceOf(Good.class);
        assertThat(found.all()).extracting(TlsBackend::name).containsExactly("broken", "lame", "good");
        assertThat(found.problems()).hasSize(3)
                .anyMatch(problem -> problem.contains("Stillborn"))
                .anyMatch(problem -> problem.contains("org.example.NotThere"))
                .anyMatch(problem -> problem.contains("Twin"));
    }

    @Test
    void namedOneIsItselfOrAnErrorThatTellsWhatThereIs(@TempDir Path directory) throws Exception {
        var found = find(directory, Lame.class.getName(), Good.class.getName(), Broken.class.getName());

        assertThat(found.named("good")).isInstanceOf(Good.class);
        assertThatThrownBy(() -> found.named("lame")).isInstanceOf(TlsException.class)
                .hasMessageContaining("it has no legs: give it some");
        assertThatThrownBy(() -> found.named("broken")).isInstanceOf(TlsException.class)
                .hasMessageContaining("org/example/Engine");
        assertThatThrownBy(() -> found.named("best")).isInstanceOf(TlsException.class)
                .hasMessageContaining("\"best\"").hasMessageContaining("good (can run)").hasMessageContaining("lame (can't run");
    }

    @Test
    void noneFoundSaysWhatToAdd(@TempDir Path directory) throws Exception {
        var found = find(directory);

        assertThat(found.best()).isEmpty();
        assertThatThrownBy(() -> found.named("jdk")).hasMessageContaining("add weft-tls-jdk");
    }

    /** As much of a backend as the finder looks at. */
    abstract static class Stub implements TlsBackend {
        private final String name;
        private final int priority;
        private final Optional<String> unavailable;
        private final TlsBackend rest = new IdentityBackend(false);

        Stub(String name, int priority, Optional<String> unavailable) {
            this.name = name;
            this.priority = priority;
            this.unavailable = unavailable;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public int priority() {
            return priority;
        }

        @Override
        public Optional<String> unavailable() {
            return unavailable;
        }

        @Override
        public SessionKeeping sessionKeeping(ClientSettings settings) {
            return rest.sessionKeeping(settings);
        }

        @Override
        public TlsClientContext client(ClientSettings settings) throws TlsException {
            return rest.client(settings);
        }

        @Override
        public TlsServerContext server(ServerSettings settings) throws TlsException {
            return rest.server(settings);
        }
    }
}
