package dev.weft.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a host reads when a flag, a capability or a newer JDK is missing. */
class MissingPowersTest {
    private static final int JDK = Runtime.version().feature();

    @BeforeEach
    void onlyOnLinux() {
        assumeTrue(SocketOptionHelper.isLinux(), "these options are Linux's");
    }

    @Test
    void printsTheExactFlagOnTheClassPath() throws Exception {
        var said = ChildJvm.run(ChildJvm.onClassPath(List.of(), "missing"));
        assertThat(line(said, "helper: ")).contains("--add-opens java.base/sun.nio.ch=ALL-UNNAMED");
        assertThat(line(said, "listener: ")).contains("--add-opens java.base/sun.nio.ch=ALL-UNNAMED");
        assertThat(line(said, "spoof: ")).startsWith("IllegalStateException")
                .contains("--add-opens java.base/sun.nio.ch=ALL-UNNAMED");
        assertThat(line(said, "source: ")).isEqualTo("fine");
        assertThat(line(said, "localAddress: ")).isEqualTo("fine");
        assertThat(line(said, "inherited: ")).startsWith("IllegalStateException").contains("StandardInput=socket")
                .contains("AF_INET6");
        if (JDK < 22) {
            assertThat(line(said, "redirect: ")).startsWith("IllegalStateException").contains("JDK 22").contains("TPROXY")
                    .contains("this is JDK " + JDK);
        } else {
            assertThat(line(said, "redirect: ")).contains("--add-opens java.base/sun.nio.ch=ALL-UNNAMED")
                    .contains("--enable-native-access=ALL-UNNAMED");
        }
    }

    @Test
    void printsTheExactFlagOnTheModulePath() throws Exception {
        var said = ChildJvm.run(ChildJvm.onModulePath(List.of(), "missing"));
        assertThat(line(said, "helper: ")).contains("--add-opens java.base/sun.nio.ch=dev.weft.core");
        if (JDK >= 22) {
            assertThat(line(said, "redirect: ")).contains("--enable-native-access=dev.weft.core");
        }
    }

    @Test
    void isSatisfiedWithThePrintedFlagsOnTheModulePath() throws Exception {
        var said = ChildJvm.run(ChildJvm.onModulePath(
                List.of("--add-opens", "java.base/sun.nio.ch=dev.weft.core", "--enable-native-access=dev.weft.core"), "missing"));
        assertThat(line(said, "helper: ")).isEqualTo("available");
        if (JDK >= 22) {
            assertThat(line(said, "redirect: ")).isEqualTo("fine");
        }
    }

    @Test
    void namesTheNativeAccessFlagWhereNativeCallsAreDenied() throws Exception {
        assumeTrue(JDK >= 24, "--illegal-native-access came with JDK 24, this is " + JDK);
        var said = ChildJvm.run(ChildJvm.onClassPath(List.of(ChildJvm.ADD_OPENS, "--illegal-native-access=deny"), "missing"));
        assertThat(line(said, "redirect: ")).startsWith("IllegalStateException")
                .contains("start it with --enable-native-access=ALL-UNNAMED");
    }

    @Test
    void namesTheMissingCapability() throws Exception {
        assumeTrue(ChildJvm.finds("setpriv"), "setpriv is not installed");
        var dropped = new ArrayList<>(List.of("setpriv", "--inh-caps=-all"));
        if (System.getProperty("user.name").equals("root")) {
            dropped.add("--bounding-set=-all");
        }
        dropped.addAll(ChildJvm.onClassPath(List.of(ChildJvm.ADD_OPENS), "missing"));
        var said = ChildJvm.run(dropped);
        assertThat(line(said, "helper: ")).isEqualTo("available");
        for (var refused : new String[] {"transparent: ", "spoof: ", "listener: "}) {
            assertThat(line(said, refused)).contains("IP_TRANSPARENT").contains("CAP_NET_RAW or CAP_NET_ADMIN");
        }
    }

    private static String line(String said, String start) {
        return said.lines().filter(l -> l.startsWith(start)).findFirst().orElseThrow(() -> new AssertionError(said))
                .substring(start.length());
    }
}
