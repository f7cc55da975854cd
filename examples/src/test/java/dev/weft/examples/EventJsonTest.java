package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventJsonTest {

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1:25",
        "::, [::]:25",
        "::1, [::1]:25",
        "2001:db8::, [2001:db8::]:25",
        "2001:db8::1, [2001:db8::1]:25",
        "2001:db8:0:1:1:1:1:1, [2001:db8:0:1:1:1:1:1]:25",
        "2001:0:0:1:0:0:0:1, [2001:0:0:1::1]:25",
        "2001:db8:0:0:1:0:0:1, [2001:db8::1:0:0:1]:25",
        "10:0:0:0:0:0:0:10, [10::10]:25",
        "0:0:1::, [0:0:1::]:25",
    })
    void addressesAreWrittenAsOptionsTakeThem(String ip, String text) {
        assertThat(EventJson.address(new InetSocketAddress(ip, 25))).isEqualTo(text);
    }
}
