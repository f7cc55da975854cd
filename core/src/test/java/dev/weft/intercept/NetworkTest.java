package dev.weft.intercept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, a00::, false",
        "192.0.2.128/25, 192.0.2.128, true",
        "192.0.2.128/25, 192.0.2.127, false",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 2001:db8::1, true",
        "::/0, 203.0.113.9, false",
        "::1, ::1, true",
        "::1, ::2, false",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.0, false",
        "2001:db8:8000::/33, 2001:db8:ffff::1, true",
        "2001:db8:8000::/33, 2001:db8:7fff::1, false",
        "::ffff:10.0.0.0/104, 10.1.2.3, true",
        "::ffff:10.0.0.0/104, 11.1.2.3, false",
    })
    void holdsTheAddressesOfItsPrefix(String network, String address, boolean member) {
        assertThat(Network.parse(network).contains(Addresses.parse(address).orElseThrow())).isEqualTo(member);
    }

    @Test
    void countsAMappedAddressAsIpv4() throws Exception {
        var bytes = new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 1, 2, 3};
        InetAddress mapped = Inet6Address.getByAddress(null, bytes, -1);
        assertThat(mapped).isInstanceOf(Inet6Address.class);
        assertThat(Network.parse("10.0.0.0/8").contains(mapped)).isTrue();
        assertThat(Network.parse("::/0").contains(mapped)).isFalse();
        assertThat(new Network(mapped, 128)).isEqualTo(Network.parse("10.1.2.3"));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/+8", "10.0.0.0/8/8",
        "10.0.0/8", "10.0.0.00/8", "010.0.0.0/8", "::/129", "::1%lo", "fe80::1%1/64", "localhost", "mx.example.org/24",
        "::ffff:0:0/95", "10.0.0.1/8", " 10.0.0.0/8", "10.0.0.0/99999999999", ":::", "1::2::3", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8:9", "12345::", "::g", "::1.2.3", "1.2.3.4::"
    })
    void namesTheValueThatItRefuses(String text) {
        var shown = text.equals("10.0.0.1/8") ? text : "\"" + text + "\"";
        assertThatThrownBy(() -> Network.parse(text)).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(shown);
    }

    @Test
    void saysWhichRangeWasMeantWhenBitsAreSetBeyondThePrefix() {
        assertThatThrownBy(() -> Network.parse("10.1.2.3/8")).hasMessageContaining("10.0.0.0/8");
    }

    @Test
    void printsWhatItParses() {
        for (var text : new String[] {"10.0.0.0/8", "0.0.0.0/0", "2001:db8:0:0:0:0:0:0/32"}) {
            assertThat(Network.parse(text)).hasToString(text).isEqualTo(Network.parse(text));
        }
    }

    @Test
    void readsEveryAddressThatTheJdkPrints() throws Exception {
        long seed = System.nanoTime();
        var random = new Random(seed);
        for (int i = 0; i < 2000; i++) {
            var bytes = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(bytes);
            for (int zero = random.nextInt(bytes.length); zero > 0; zero--) {
                bytes[random.nextInt(bytes.length)] = 0;
            }
            var address = InetAddress.getByAddress(bytes);
            assertThat(Addresses.parse(address.getHostAddress())).as("seed %d", seed).contains(address);
        }
    }

    @ParameterizedTest
    @CsvSource({"::, 0:0:0:0:0:0:0:0", "1::, 1:0:0:0:0:0:0:0", "::1.2.3.4, 0:0:0:0:0:0:102:304", "a:B::c, a:b:0:0:0:0:0:c",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0", "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304", "::ffff:1.2.3.4, 1.2.3.4",
        "::FFFF:102:304, 1.2.3.4"})
    void readsTheShortFormsOfIpv6(String text, String full) {
        assertThat(Addresses.parse(text).orElseThrow().getHostAddress()).isEqualTo(full);
    }
}
