package dev.weft.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weft.examples.ProxyOptions.Intercept;
import dev.weft.examples.ProxyOptions.TlsLevel;
import dev.weft.intercept.Network;
import dev.weft.policy.Rate;
import dev.weft.relay.Binding;
import dev.weft.smtp.BareLineEnds;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionParserTest {

    private static ProxyOptions parse(String line) throws UsageException {
        return OptionParser.parse(line.isEmpty() ? new String[0] : line.split(" "));
    }

    @Test
    void everyOptionIsRead() throws Exception {
        var options = parse("--listen 127.0.0.1:2525 --listen [::1]:0 --listen *:2526 --to 192.0.2.1:25"
                + " --source 192.0.2.7,2001:db8::7 --handler a.B --handler c.D --handler-path . --log -"
                + " --max-sessions 10 --max-sessions-per-client 2 --loops 3"
                + " --grace 1.5 --timeout idle=7 --timeout data=0.25 --bare-line-ends refuse");
        assertThat(options.listen).containsExactly(
                new InetSocketAddress("127.0.0.1", 2525), new InetSocketAddress("::1", 0), new InetSocketAddress(2526));
        assertThat(options.to).isEqualTo(new InetSocketAddress("192.0.2.1", 25));
        assertThat(options.intercept).isNull();
        assertThat(options.sources).containsExactly(InetAddress.getByName("192.0.2.7"), InetAddress.getByName("2001:db8::7"));
        assertThat(options.sourceClient).isFalse();
        assertThat(options.handlers).containsExactly("a.B", "c.D");
        assertThat(options.handlerPath).containsExactly(Path.of("."));
        assertThat(options.log).isEqualTo("-");
        assertThat(options.maxSessions).isEqualTo(10);
        assertThat(options.maxSessionsPerClient).isEqualTo(2);
        assertThat(options.loops).isEqualTo(3);
        assertThat(options.grace).isEqualTo(Duration.ofMillis(1500));
        assertThat(options.timeouts.idle()).isEqualTo(Duration.ofSeconds(7));
        assertThat(options.timeouts.data()).isEqualTo(Duration.ofMillis(250));
        assertThat(options.timeouts.connect()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.bareLineEnds).isEqualTo(BareLineEnds.REFUSE);
    }

    @Test
    void everyTlsOptionIsRead() throws Exception {
        var options = parse("--listen *:2525 --to 192.0.2.1:25 --tls verify --verify-name mx.example.com,192.0.2.1 --trust roots.pem"
                + " --tls-backend jdk --tls-cache cache --cert rsa.pem --key rsa.key --cert ec.pem --key ec.key --require-tls"
                + " --implicit-tls 127.0.0.1:465 --implicit-tls [::1]:465 --timeout handshake=7");
        assertThat(options.tls).isEqualTo(TlsLevel.VERIFY);
        assertThat(options.verifyNames).containsExactly("mx.example.com", "192.0.2.1");
        assertThat(options.trust).isEqualTo(Path.of("roots.pem"));
        assertThat(options.tlsBackend).isEqualTo("jdk");
        assertThat(options.tlsCache).isEqualTo(Path.of("cache"));
        assertThat(options.certificates).containsExactly(Path.of("rsa.pem"), Path.of("ec.pem"));
        assertThat(options.keys).containsExactly(Path.of("rsa.key"), Path.of("ec.key"));
        assertThat(options.requireTls).isTrue();
        assertThat(options.implicitTls).containsExactly(
                new InetSocketAddress("127.0.0.1", 465), new InetSocketAddress("::1", 465));
        assertThat(options.timeouts.handshake()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void everyOptionOfTheBindingOnMailIsRead() throws Exception {
        var options = parse("--listen *:2525 --to 192.0.2.1:25 --binding mail --limit 10 --helo weft.example.com"
                + " --leg-messages 20 --lease-wait 2.5");
        assertThat(options.binding).isEqualTo(Binding.ON_MAIL);
        assertThat(options.limit.learns()).isFalse();
        assertThat(options.limit.most()).isEqualTo(10);
        assertThat(options.heloName).isEqualTo("weft.example.com");
        assertThat(options.legMessages).isEqualTo(20);
        assertThat(options.leaseWait).isEqualTo(Duration.ofMillis(2500));
        assertThat(parse("--listen *:2525 --to 192.0.2.1:25 --binding mail --limit auto").limit.learns()).isTrue();
        assertThat(parse("--listen *:2525 --to 192.0.2.1:25 --rate 100/h").rate).isEqualTo(Rate.of(100, Duration.ofHours(1)));
        assertThat(parse("--listen *:2525 --to 192.0.2.1:25 --hold").hold).isTrue();
    }

    @Test
    void aProxyMayListenForImplicitTlsOnly() throws Exception {
        assertThat(parse("--implicit-tls *:465 --cert c --key k --to 192.0.2.1:25").listen).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--intercept tproxy --listen *:2525|TPROXY",
        "--intercept=redirect --listen=*:2525|REDIRECT",
        "--intercept inherited|INHERITED",
        "--intercept proxy-protocol --listen *:2525 --trusted 10.0.0.0/8,::1|PROXY_PROTOCOL",
    })
    void eachInterceptionHasItsName(String line, Intercept expected) throws Exception {
        assertThat(parse(line).intercept).isEqualTo(expected);
    }

    @Test
    void trustedNetworksAreAList() throws Exception {
        assertThat(parse("--intercept proxy-protocol --listen *:2525 --trusted 10.0.0.0/8,::1").trusted)
                .containsExactly(Network.parse("10.0.0.0/8"), Network.parse("::1"));
    }

    @Test
    void theClientsOwnAddressIsASource() throws Exception {
        assertThat(parse("--listen *:2525 --to 192.0.2.1:25 --source client").sourceClient).isTrue();
    }

    @Test
    void allTimeLimitsAreSetAtOnceAndThenOne() throws Exception {
        var timeouts = parse("--listen *:2525 --to 192.0.2.1:25 --timeout all=9 --timeout quit=1").timeouts;
        assertThat(timeouts.endOfData()).isEqualTo(Duration.ofSeconds(9));
        assertThat(timeouts.quit()).isEqualTo(Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "--listen *:2525 --help", "--help --nonsense"})
    void helpNeedsNothingElse(String line) throws Exception {
        assertThat(parse(line).help).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''                                              | give --intercept",
        "--listen *:2525                                 | give --intercept",
        "--listen *:2525 --to 1.2.3.4:25 --intercept tproxy | exclude each other",
        "--to 1.2.3.4:25                                 | --listen HOST:PORT is missing",
        "--intercept inherited --listen *:2525           | leave --listen away",
        "--intercept proxy-protocol --listen *:2525      | --trusted CIDR is missing",
        "--intercept tproxy --listen *:2525 --trusted ::1 | --trusted goes only with",
        "--intercept tproxi --listen *:2525              | give one of tproxy, redirect, inherited, proxy-protocol",
        "--listen 127.0.0.1:25 --to 127.0.0.1:25         | --to 127.0.0.1:25 is the address that the proxy itself listens on",
        "--listen 2525 --to 1.2.3.4:25                   | give HOST:PORT",
        "--listen :2525 --to 1.2.3.4:25                  | give HOST:PORT",
        "--listen ::1:2525 --to 1.2.3.4:25               | in brackets",
        "--listen 127.0.0.1:65536 --to 1.2.3.4:25        | a port from 0 to 65535",
        "--listen 127.0.0.1:x --to 1.2.3.4:25            | a port from 0 to 65535",
        "--listen *:2525 --to 1.2.3.4:0                  | a port from 1 to 65535",
        "--listen *:2525 --to no.such.host.invalid:25    | host no.such.host.invalid is unknown",
        "--to                                            | --to needs a value",
        "--to=                                           | --to needs a value",
        "--to 1.2.3.4:25 --to 1.2.3.4:26                 | --to is given twice",
        "--listen *:2525 --to 1.2.3.4:25 --lease-wait 5  | --lease-wait goes only with --binding mail",
        "--listen *:2525 --to 1.2.3.4:25 --binding mail --lease-wait 0 | --lease-wait 0: give more than 0 seconds and at most 3600",
        "--lease-wait x                                  | --lease-wait x: give more than 0 seconds and at most 3600",
        "--lease-wait 3601                               | at most 3600",
        "--listen *:2525 --to 1.2.3.4:25 --binding mail --limit none | --limit",
        "--listen *:2525 --to 1.2.3.4:25 --binding mial  | give connect or mail",
        "--frobnicate 1                                  | unknown option --frobnicate",
        "-x                                              | unknown option -x",
        "mx.example.com:25                               | stands by itself",
        "--help=yes                                      | --help takes no value",
        "--trusted 10.0.0.1/8                            | write 10.0.0.0/8",
        "--source 192.0.2.1,mx.example.com               | \"mx.example.com\" is no IP address",
        "--source 192.0.2.0/24                           | is no IP address",
        "--source 192.0.2.1,                             | is no IP address",
        "--max-sessions 0                                | a whole number from 1",
        "--max-sessions many                             | a whole number from 1",
        "--loops -1                                      | a whole number from 1",
        "--grace -1                                      | give seconds from 0",
        "--grace 1e3                                     | give seconds from 0",
        "--grace 86401                                   | --grace 86401: give seconds from 0 to 86400",
        "--timeout idle                                  | give NAME=SECONDS",
        "--timeout idel=3                                | use one of all, connect",
        "--timeout idle=0                                | --timeout idle=0: give more than 0 seconds and at most 86400",
        "--timeout idle=x                                | --timeout idle=x: give more than 0 seconds and at most 86400",
        "--timeout idle=86401                            | --timeout idle=86401: give more than 0 seconds and at most 86400",
        "--bare-line-ends lax                            | give one of guard, refuse, pass",
        "--tls always                                    | give one of none, may, encrypt, verify",
        "--listen *:2525 --to 1.2.3.4:25 --tls verify    | --tls verify needs --verify-name",
        "--listen *:2525 --to 1.2.3.4:25 --tls encrypt --verify-name a.example | goes only with --tls verify",
        "--listen *:2525 --to 1.2.3.4:25 --verify-name a.example | goes only with --tls verify",
        "--tls verify --verify-name a.example,           | \"\" is no host name",
        "--listen *:2525 --to 1.2.3.4:25 --tls none --trust roots.pem | --trust goes not with --tls none",
        "--listen *:2525 --to 1.2.3.4:25 --tls none --tls-cache dir | --tls-cache goes not with --tls none",
        "--listen *:2525 --to 1.2.3.4:25 --cert c.pem    | --key FILE is missing",
        "--listen *:2525 --to 1.2.3.4:25 --cert a --cert b --key a --key b --key c | --cert FILE is missing",
        "--listen *:2525 --to 1.2.3.4:25 --require-tls   | --require-tls needs a certificate",
        "--listen *:2525 --to 1.2.3.4:25 --implicit-tls *:465 | --implicit-tls needs a certificate",
        "--implicit-tls 127.0.0.1:25 --cert c --key k --to 127.0.0.1:25 | the proxy itself listens on",
        "--listen *:2525 --intercept tproxy --implicit-tls *:465 --cert c --key k | in a proxy of its own",
        "--listen *:2525 --to 1.2.3.4:25 --tls-pass-through --cert c --key k | --tls-pass-through shows clients",
        "--listen *:2525 --to 1.2.3.4:25 --tls-pass-through --tls encrypt | --tls-pass-through goes not with --tls encrypt",
        "--listen *:2525 --to 1.2.3.4:25 --tls-pass-through --binding mail | --tls-pass-through goes not with --binding mail",
        "--require-tls=yes                               | --require-tls takes no value",
        "--binding both                                  | give connect or mail",
        "--listen *:2525 --to 1.2.3.4:25 --limit 3       | --limit goes only with --binding mail",
        "--listen *:2525 --to 1.2.3.4:25 --helo a.example | --helo goes only with --binding mail",
        "--listen *:2525 --to 1.2.3.4:25 --binding connect --leg-messages 3 | --leg-messages goes only with --binding mail",
        "--limit 0                                       | a whole number from 1 to 999999999, or auto",
        "--limit many                                    | a whole number from 1 to 999999999, or auto",
        "--leg-messages 0                                | a whole number from 1",
        "--rate 3/w                                      | --rate 3/w: write a number from 1 and a unit",
        "--rate 0/h                                      | --rate 0/h: write a number from 1",
        "--tls-backend                                   | --tls-backend needs a value",
        "--handler-path /no/such/path                    | there is no readable file or directory /no/such/path",
        "--listen *:2525 --to 1.2.3.4:25 --handler-path . | name the handler's class",
    })
    void aWrongLineIsRefusedWithTheOptionAndTheMend(String line, String part) {
        assertThatThrownBy(() -> parse(line))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining(part)
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n").matches(".*(--|-x|stands).*"));
    }
}
