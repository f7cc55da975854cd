package dev.weft.examples.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What holds for real mail between Postfix hosts, however the routing host hands it to the proxy. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
abstract class RelayContract {
    private static final int KB = 1024;
    private static final int MB = 1024 * KB;

    /** Size and number of recipients. */
    private record Shape(int size, int recipients) {
    }

    private static final List<Shape> SHAPES = List.of(new Shape(KB, 1), new Shape(KB, 50), new Shape(10 * KB, 10),
            new Shape(100 * KB, 20), new Shape(MB, 7), new Shape(5 * MB, 2), new Shape(20 * MB, 1));

    private final Interception interception;
    private MailLab lab;

    /** Programs write their logs into files of the lab, which is gone when the failure is read. */
    @RegisterExtension
    final TestExecutionExceptionHandler logsOnFailure = (context, failure) -> {
        if (lab != null && !(failure instanceof org.opentest4j.TestAbortedException)) {
            System.out.println("FAILED " + context.getDisplayName() + "\n" + lab.evidence());
        }
        throw failure;
    };

    RelayContract(Interception interception) {
        this.interception = interception;
    }

    /** What this way of interception needs beyond the lab itself. */
    Prerequisites prerequisites() {
        return new Prerequisites();
    }

    @BeforeAll
    void startLab() {
        prerequisites().namespaces().program("postfix", "postfix").program("sendmail", "postfix").orSkip();
        lab = MailLab.start(interception, Prerequisites.proxyJar());
    }

    @AfterAll
    void stopLab() {
        if (lab != null) {
            lab.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyMessageArrivesByteForByte(Family family) {
        record Sent(Letter letter, List<String> recipients, int sender) {
        }
        var sent = new ArrayList<Sent>();
        for (int sender = 1; sender <= Topology.SENDERS.size(); sender++) {
            for (int i = 0; i < SHAPES.size(); i++) {
                // The large shapes once each, from one sender after the other; the small ones from all.
                if (SHAPES.get(i).size > MB && i % 3 != sender - 1) {
                    continue;
                }
                var domain = family.domain(MailLab.RECEIVERS.get((sender + i) % 2));
                var id = family.name().toLowerCase() + "-" + sender + "-" + i;
                var recipients = IntStream.rangeClosed(1, SHAPES.get(i).recipients)
                        .mapToObj(n -> id + "-" + n + "@" + domain).toList();
                var letter = Letter.of(id, SHAPES.get(i).size);
                lab.sender(sender).submit(letter.writeTo(lab.directory()), "ada@s" + sender + ".test", recipients);
                sent.add(new Sent(letter, recipients, sender));
            }
        }
        IntStream.rangeClosed(1, Topology.SENDERS.size()).forEach(sender -> lab.sender(sender).awaitEmptyQueue());
        for (var s : sent) {
            s.recipients.forEach(recipient -> assertArrived(s.letter, s.sender, recipient, family));
            assertLogged(s.sender, s.recipients, family);
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusedRecipientBouncesWithTheReceiversOwnWords(Family family) {
        var domain = family.domain("mx1");
        var sender = "bounce-" + family.name().toLowerCase();
        var letter = Letter.of(sender, 2 * KB);
        lab.sender(1).submit(letter.writeTo(lab.directory()), sender + "@s1.test",
                List.of(sender + "-a@" + domain, "refused@" + domain, sender + "-b@" + domain));
        var bounce = lab.sender(1).awaitMail(sender + "@s1.test");
        assertThat(bounce).hasSize(1);
        assertThat(unfolded(Shell.text(bounce.get(0))))
                .contains("Final-Recipient: rfc822; refused@" + domain)
                .contains("550 5.7.1 <refused@" + domain + ">: Recipient address rejected: " + PostfixInstance.REFUSAL);
        lab.sender(1).awaitEmptyQueue();
        assertArrived(letter, 1, sender + "-a@" + domain, family);
        assertArrived(letter, 1, sender + "-b@" + domain, family);
        assertThat(lab.receiver("mx1").mail("refused@" + domain)).isEmpty();
        lab.proxy().awaitEvent("transaction", sender, PostfixInstance.REFUSAL);
    }

    @ParameterizedTest
    @EnumSource
    void mailForAStoppedReceiverWaitsAtTheSenderAndArrivesLater(Family family) {
        var recipient = "patience@" + family.domain("mx2");
        var letter = Letter.of("patience-" + family.name().toLowerCase(), 30 * KB);
        lab.receiver("mx2").stop();
        try {
            lab.sender(2).submit(letter.writeTo(lab.directory()), "ada@s2.test", List.of(recipient));
            assertThat(lab.sender(2).awaitDeferred()).contains(recipient).contains("421 4.4.1");
        } finally {
            lab.receiver("mx2").start();
        }
        lab.sender(2).flush();
        lab.sender(2).awaitEmptyQueue();
        assertArrived(letter, 2, recipient, family);
    }

    @Test
    void aSenderThatIsNoPostfixIsRelayedAsWell() {
        var letter = Letter.of("swaks", 300 * KB);
        new Prerequisites().program("swaks", "swaks").orSkip();
        var domain = Family.IPV4.domain("mx1");
        var result = lab.run("s3", "swaks", "--server", Topology.address("mx1", Family.IPV4), "--helo", "s3.test",
                "--from", "swaks@s3.test", "--to", "swaks-a@" + domain + ",swaks-b@" + domain,
                "--no-data-fixup", "--data", "@" + letter.writeWireFormTo(lab.directory()), "--hide-send");
        assertThat(result.output()).contains("250 2.0.0 Ok: queued as");
        assertThat(result.exit()).isZero();
        for (var recipient : List.of("swaks-a@" + domain, "swaks-b@" + domain)) {
            lab.receiver("mx1").awaitMail(recipient);
            assertArrived(letter, 3, recipient, Family.IPV4);
        }
    }

    @Test
    void whileTheProxyIsDownNothingPassesByIt() {
        var recipient = "closed@" + Family.IPV4.domain("mx1");
        var letter = Letter.of("closed", KB);
        lab.proxy().close();
        try {
            lab.sender(3).submit(letter.writeTo(lab.directory()), "ada@s3.test", List.of(recipient));
            assertThat(lab.sender(3).awaitDeferred()).contains(recipient);
            assertThat(lab.receiver("mx1").mail(recipient)).isEmpty();
        } finally {
            lab.startProxy();
        }
        lab.sender(3).flush();
        lab.sender(3).awaitEmptyQueue();
        assertArrived(letter, 3, recipient, Family.IPV4);
    }

    /** There once, unchanged, and from the address that a session through the proxy leaves from. */
    private void assertArrived(Letter letter, int sender, String recipient, Family family) {
        var host = hostOf(recipient);
        var files = lab.receiver(host).awaitMail(recipient);
        assertThat(files).as("copies for " + recipient).hasSize(1);
        var seen = (family == Family.IPV6 ? "IPv6:" : "") + interception.clientSeenBy(host, "s" + sender, family);
        assertThat(letter.headersAddedTo(files.get(0))).contains("[" + seen + "]");
    }

    /** The program that embeds the proxy has seen the transaction, with both ends as they are in truth. */
    private void assertLogged(int sender, List<String> recipients, Family family) {
        var values = new ArrayList<>(recipients);
        values.add(Topology.senderAddress("s" + sender, family));
        values.add(Topology.address(hostOf(recipients.get(0)), family));
        lab.proxy().awaitEvent("transaction", values.toArray(String[]::new));
    }

    /** The receiving host of an address. */
    private static String hostOf(String address) {
        return address.replaceAll(".*@v[46]\\.(mx[12])\\.test", "$1");
    }

    private static String unfolded(String headers) {
        return headers.replaceAll("\\n\\s+", " ");
    }
}
