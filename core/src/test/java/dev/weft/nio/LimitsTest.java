package dev.weft.nio;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class LimitsTest {

    @Test
    void countsInAllAndGivesBack() {
        var limits = new Limits(2, Integer.MAX_VALUE);
        assertThat(limits.admit()).isTrue();
        assertThat(limits.admit()).isTrue();
        assertThat(limits.admit()).isFalse();
        assertThat(limits.admitted()).isEqualTo(2);
        limits.leave(0);
        assertThat(limits.admit()).isTrue();
    }

    @Test
    void countsPerClientAndForgetsWhoLeft() throws Exception {
        var limits = new Limits(10, 1);
        var one = InetAddress.getByName("192.0.2.1");
        var two = InetAddress.getByName("192.0.2.2");
        assertThat(limits.admitClient(one)).isTrue();
        assertThat(limits.admitClient(one)).isFalse();
        assertThat(limits.admitClient(two)).isTrue();
        limits.leaveClient(one);
        assertThat(limits.admitClient(one)).isTrue();
        limits.leaveClient(one);
        limits.leaveClient(two);
        assertThat(limits.clients()).isZero();
    }

    @Test
    void aClientInIpv6IsItsNetworkOf64Bits() throws Exception {
        var limits = new Limits(10, 1);
        assertThat(limits.admitClient(InetAddress.getByName("2001:db8:0:1::1"))).isTrue();
        assertThat(limits.admitClient(InetAddress.getByName("2001:db8:0:1:ffff::2"))).isFalse();
        assertThat(limits.admitClient(InetAddress.getByName("2001:db8:0:2::1"))).isTrue();
        assertThat(limits.admitClient(InetAddress.getByName("::ffff:192.0.2.1"))).isTrue();
        assertThat(limits.admitClient(InetAddress.getByName("192.0.2.1"))).isFalse();
    }
}
