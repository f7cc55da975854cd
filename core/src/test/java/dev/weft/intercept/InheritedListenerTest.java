package dev.weft.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InheritedListenerTest {
    /** Any parent will do that can put a listener on descriptor 0. */
    private static final String PARENT = """
            import os, socket, sys
            kind = sys.argv[1]
            s = socket.socket(socket.AF_INET6 if kind == '6' else socket.AF_INET,
                              socket.SOCK_DGRAM if kind == 'u' else socket.SOCK_STREAM)
            if kind == '6':
                s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            s.bind(('::' if kind == '6' else '127.0.0.1', 0))
            if kind != 'u':
                s.listen(10)
            os.dup2(s.fileno(), 0)
            os.execvp(sys.argv[2], sys.argv[2:])
            """;

    @Test
    void takesADualStackListenerWithoutAnyFlag() throws Exception {
        var said = childOf("6", "inherited");
        assertThat(said.lines()).contains("same: true", "inherited: true", "other: false", "advice: none",
                "destination: [0:0:0:0:0:0:0:1]");
    }

    @Test
    void advisesAgainstAnIpv4Listener() throws Exception {
        var said = childOf("4", "inherited");
        assertThat(said.lines()).contains("same: true", "inherited: true", "other: false", "destination: 127.0.0.1");
        assertThat(said).contains("advice: the inherited listener 127.0.0.1:").contains("JDK 17").contains("AF_INET6");
    }

    @Test
    void saysWhatToDoWhenDescriptor0IsAnotherSocket() throws Exception {
        assertThat(childOf("u", "missing"))
                .contains("inherited: IllegalStateException: descriptor 0 is a socket, but no listening TCP socket")
                .contains("ListenStream=");
    }

    @Test
    void saysWhatToDoWhenNothingWasInherited() throws Exception {
        assumeTrue(System.inheritedChannel() == null, "this JVM itself has a socket on descriptor 0");
        assertThatThrownBy(InheritedListener::get).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("descriptor 0").hasMessageContaining("Transparent=yes");
        try (var listener = ServerSocketChannel.open()) {
            assertThat(InheritedListener.isInherited(listener)).isFalse();
        }
    }

    private static String childOf(String socket, String part) throws Exception {
        assumeTrue(SocketOptionHelper.isLinux() && ChildJvm.finds("python3"), "needs Linux and python3 as the parent process");
        var command = new ArrayList<>(List.of("python3", "-c", PARENT, socket));
        command.addAll(ChildJvm.onClassPath(List.of(), part));
        return ChildJvm.run(command);
    }
}
