package dev.weft.nio;

import java.io.IOException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP_QUICKACK, where this JVM and system have it. A server that writes session tickets and then its reply to EHLO waits, with
 * Nagle's algorithm, for the acknowledgement of the tickets; a delayed one costs 40 ms a session.
 */
final class QuickAck {

    private static final Logger LOG = LoggerFactory.getLogger(QuickAck.class);
    private static final SocketOption<Boolean> OPTION = option();

    private QuickAck() {}

    private static SocketOption<Boolean> option() {
        try {
            return ExtendedSocketOptions.TCP_QUICKACK;
        } catch (LinkageError e) {
            LOG.debug("no TCP_QUICKACK: this Java runtime lacks the module jdk.net");
            return null;
        }
    }

    /** Acknowledges at once what comes next; the kernel goes back to delaying on its own. */
    static void ask(SocketChannel channel) {
        if (OPTION == null || !channel.supportedOptions().contains(OPTION)) {
            return;
        }
        try {
            channel.setOption(OPTION, true);
        } catch (IOException e) {
            LOG.debug("TCP_QUICKACK was refused", e);
        }
    }
}
