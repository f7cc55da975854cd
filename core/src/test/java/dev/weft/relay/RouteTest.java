package dev.weft.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTest {

    private static final Route ROUTE = Route.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), 25));

    @Test
    void aDestinationHasANameOfUpTo255Characters() {
        assertThat(ROUTE.withDestination("x".repeat(255)).destination()).contains("x".repeat(255));
        assertThat(ROUTE.destination()).isEmpty();
        assertThatThrownBy(() -> ROUTE.withDestination("x".repeat(256))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 to 255");
    }

    /** It stands in replies and logs. */
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "mx\r\n250 ok", "mx\u0000"})
    void aDestinationThatCanNotBeShownIsRefused(String name) {
        assertThatThrownBy(() -> ROUTE.withDestination(name)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("destination \"").message().doesNotContainPattern("\\p{Cntrl}");
    }
}
