package dev.weft.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.Route;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class DestinationTest {

    private static final InetAddress CLIENT = TestSession.ip("192.0.2.1");

    private static Route to(String server) {
        return Route.to(new InetSocketAddress(TestSession.ip(server), 25));
    }

    @Test
    void isTheServerAndTheAddressThatItSees() {
        assertThat(Destination.of(to("203.0.113.25"), CLIENT)).hasToString("203.0.113.25:25");
        assertThat(Destination.of(to("203.0.113.25").withSource(TestSession.ip("198.51.100.1")), CLIENT))
                .hasToString("203.0.113.25:25 from 198.51.100.1");
        assertThat(Destination.of(to("2001:db8::25"), CLIENT)).hasToString("[2001:db8:0:0:0:0:0:25]:25");
        assertThat(Destination.of(to("203.0.113.25").withClientAddress(), CLIENT).source()).contains(CLIENT);
    }

    @Test
    void aNameStandsForAllItsServers() {
        var one = Destination.of(to("203.0.113.25").withDestination("provider"), CLIENT);
        assertThat(one).isEqualTo(Destination.of(to("203.0.113.26").withDestination("provider"), CLIENT))
                .hasToString("provider");
    }
}
