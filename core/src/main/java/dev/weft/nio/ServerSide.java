package dev.weft.nio;

import dev.weft.relay.Route;
import dev.weft.session.Closing;
import java.util.Optional;

/** A session's server leg: one of its own, or one that it has leased. */
interface ServerSide {

    LegChannel channel();

    /** Lets it go; the session hears no more of it. */
    void close(Closing how);

    void startTls(Route route, Optional<String> serverName);
}
