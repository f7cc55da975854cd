package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weft.relay.Notice;
import dev.weft.relay.Stage;
import dev.weft.smtp.Reply;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NoticeJsonTest {

    private static String json(Notice notice) {
        var json = new JsonObject();
        EventJson.notice(json, notice);
        return json.toString();
    }

    @Test
    void factsAreMembers() throws Exception {
        var notice = new Notice(Notice.Kind.LEASE_REFUSED, "greeting: 421 4.7.0 too many",
                Optional.of(new InetSocketAddress("2001:db8::25", 25)), Optional.of(InetAddress.getByName("2001:db8::1")),
                Optional.of(Reply.of(421, "4.7.0", "too many")), Optional.of(Stage.GREETING));
        assertThat(json(notice)).isEqualTo("{\"kind\":\"lease_refused\",\"detail\":\"greeting: 421 4.7.0 too many\","
                + "\"server\":\"[2001:db8::25]:25\",\"source\":\"2001:db8::1\","
                + "\"reply\":{\"code\":421,\"enhanced\":\"4.7.0\",\"lines\":[\"4.7.0 too many\"]},\"stage\":\"greeting\"}");
    }

    @Test
    void whatIsNotKnownIsLeftOut() {
        assertThat(json(new Notice(Notice.Kind.BAD_LINE, "too long")))
                .isEqualTo("{\"kind\":\"bad_line\",\"detail\":\"too long\"}");
    }
}
