package dev.weft.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TenantTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "::ffff:192.0.2.1, 192.0.2.1",
        "2001:db8:0:1:ffff:2:3:4, 2001:db8:0:1::/64",
        "2001:db8:0:1::9, 2001:db8:0:1::/64",
        "fe80::1, fe80:0:0:0::/64",
        "::1, 0:0:0:0::/64",
    })
    void aClientsAddressNamesItsTenant(String address, String name) throws UnknownHostException {
        assertThat(Tenant.of(InetAddress.getByName(address))).isEqualTo(new Tenant(name, 1));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, 0.0009, 1001, Double.NaN, Double.POSITIVE_INFINITY})
    void weightsHaveARange(double weight) {
        assertThatIllegalArgumentException().isThrownBy(() -> Tenant.of("a").withWeight(weight))
                .withMessageContaining("weight " + weight + " of tenant \"a\"");
    }

    @Test
    void namesAreOneReadableLine() {
        assertThatIllegalArgumentException().isThrownBy(() -> Tenant.of(" ")).withMessageContaining("tenant name");
        assertThatIllegalArgumentException().isThrownBy(() -> Tenant.of("a\r\nb")).withMessageContaining("\"a??b\"");
        assertThatIllegalArgumentException().isThrownBy(() -> Tenant.of("x".repeat(256))).withMessageContaining("255");
        assertThat(Tenant.of("x".repeat(255)).weight()).isEqualTo(1);
    }
}
