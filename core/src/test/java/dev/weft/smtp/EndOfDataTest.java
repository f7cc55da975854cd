package dev.weft.smtp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class EndOfDataTest {
    private static final byte[] NEXT = Cuts.octets("NEXT\r\n.\r\n");

    /**
     * Message, then what the modes GUARD, REFUSE and PASS make of it: "end N" with N octets gone out, "no N" for a refusal after
     * N octets, "more N". R and L stand for CR and LF, _ for NUL; any other character for itself.
     */
    @ParameterizedTest
    @CsvSource({
        // At the beginning, the CRLF of the DATA command counts.
        ".RL,           end 3,   end 3,   end 3",
        ".L,            no 1,    no 1,    more 2",
        ".R,            more 1,  more 1,  more 2",
        ".Ra,           no 1,    no 1,    more 3",
        ".RR,           no 1,    no 1,    more 3",
        ".RRL,          no 1,    no 1,    more 4",
        ".R.RL,         no 1,    no 1,    more 5",
        "R.RL,          no 2,    no 1,    more 4",
        "L.RL,          no 2,    no 0,    more 4",
        "L.L,           no 2,    no 0,    more 3",
        "RL.RL,         end 5,   end 5,   end 5",
        "..RL,          more 4,  more 4,  more 4",
        ".aRL,          more 4,  more 4,  more 4",
        ".,             more 1,  more 1,  more 1",
        // The true end.
        "aRL.RL,        end 6,   end 6,   end 6",
        "aRLRL.RL,      end 8,   end 8,   end 8",
        "aRL..RL.RL,    end 10,  end 10,  end 10",
        "aRL.RL.RL,     end 6,   end 6,   end 6",
        "aRL.bRL.RL,    end 10,  end 10,  end 10",
        "a.RL.RL,       end 7,   end 7,   end 7",
        "a_RL.RL,       end 7,   end 7,   end 7",
        // Look-alikes: every other line end before the dot, every other line end behind it.
        "aL.L,          no 3,    no 1,    more 4",
        "aL.RL,         no 3,    no 1,    more 5",
        "aL.R,          no 3,    no 1,    more 4",
        "aR.R,          no 3,    no 2,    more 4",
        "aR.L,          no 3,    no 2,    more 4",
        "aR.RL,         no 3,    no 2,    more 5",
        "aRL.L,         no 4,    no 4,    more 5",
        "aRL.R,         more 4,  more 4,  more 5",
        "aRL.Ra,        no 4,    no 4,    more 6",
        "aRL.RRL,       no 4,    no 4,    more 7",
        "aRL.RR,        no 4,    no 4,    more 6",
        "aRL.R_L,       no 4,    no 4,    more 7",
        "aRL.LRL.RL,    no 4,    no 4,    end 10",
        "aLR.RL,        no 4,    no 1,    more 6",
        "aRR.RL,        no 4,    no 2,    more 6",
        "aLL.L,         no 4,    no 1,    more 5",
        "aRRL.RL,       end 7,   no 2,    end 7",
        "aRRL.L,        no 5,    no 2,    more 6",
        "aLRL.RL,       end 7,   no 1,    end 7",
        "aL.RL.RL,      no 3,    no 1,    end 8",
        "aR.RL.RL,      no 3,    no 2,    end 8",
        "aRL.R.RL,      no 4,    no 4,    more 8",
        "aL.LRL.RL,     no 3,    no 1,    end 9",
        // No look-alikes: no lone dot, though line ends are bare.
        "aLbRL.RL,      end 8,   no 1,    end 8",
        "aRbRL.RL,      end 8,   no 2,    end 8",
        "aL..LRL.RL,    end 10,  no 1,    end 10",
        "aR..RRL.RL,    end 10,  no 2,    end 10",
        "aRL..LRL.RL,   end 11,  no 5,    end 11",
        "aL._L,         more 5,  no 1,    more 5",
        "aL_.L,         more 5,  no 1,    more 5",
        "aRL._RL,       more 7,  more 7,  more 7",
        "aRL. RL,       more 7,  more 7,  more 7",
        "aRLb.RL,       more 7,  more 7,  more 7",
        "aRL,           more 3,  more 3,  more 3",
        "aRL.,          more 4,  more 4,  more 4",
        "aRRRLL,        more 6,  no 2,    more 6",
        "a,             more 1,  more 1,  more 1",
    })
    void endsAtCrlfDotCrlfAloneAndKeepsBackWhatCompletesALookAlike(String signs, String guard, String refuse, String pass) {
        var message = Cuts.octets(signs.strip().replace('R', '\r').replace('L', '\n').replace('_', '\0'));
        assertOutcome(message, BareLineEnds.GUARD, guard);
        assertOutcome(message, BareLineEnds.REFUSE, refuse);
        assertOutcome(message, BareLineEnds.PASS, pass);
        // Longer than a few words, so that the search by words meets it too.
        var padding = "dots. and. letters. of more than. four words of eight\r\n";
        var padded = Cuts.join(Cuts.octets(padding), message);
        for (var mode : BareLineEnds.values()) {
            var expected = List.of(guard, refuse, pass).get(mode.ordinal()).split(" ");
            assertOutcome(padded, mode, expected[0] + " " + (Integer.parseInt(expected[1]) + padding.length()));
        }
    }

    private static void assertOutcome(byte[] message, BareLineEnds mode, String expected) {
        assertThat(reference(message, mode).toString()).as("reference, " + mode).isEqualTo(expected);
        Cuts.each(message, buffers -> {
            var outcome = run(buffers, new EndOfData(mode));
            assertThat(outcome.toString()).as(mode.toString()).isEqualTo(expected);
            assertThat(outcome.out).isEqualTo(Cuts.text(message).substring(0, outcome.out.length()));
        });
        if (expected.startsWith("end")) {
            Cuts.each(Cuts.join(message, NEXT), buffers ->
                    assertThat(run(buffers, new EndOfData(mode)).toString()).isEqualTo(reference(message, mode).toString()));
        }
    }

    private record Outcome(String status, String out, EndOfData scanner, List<ByteBuffer> rest) {
        @Override
        public String toString() {
            return status + " " + out.length();
        }
    }

    /** Does what a caller does: forwards what may go, and no more. */
    private static Outcome run(List<ByteBuffer> buffers, EndOfData scanner) {
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < buffers.size(); i++) {
            var in = buffers.get(i);
            int position = in.position();
            var status = scanner.scan(in);
            assertThat(in.position()).isEqualTo(position);
            if (scanner.releasesCr()) {
                out.write('\r');
            }
            for (int k = 0; k < scanner.passed(); k++) {
                out.write(in.get());
            }
            if (status != EndOfData.Status.MORE) {
                var word = status == EndOfData.Status.END ? "end" : "no";
                return new Outcome(word, Cuts.text(out.toByteArray()), scanner, buffers.subList(i, buffers.size()));
            }
        }
        return new Outcome("more", Cuts.text(out.toByteArray()), scanner, List.of());
    }

    /** The rules once more, over the whole message and one octet at a time, with no state but the text itself. */
    private static Outcome reference(byte[] message, BareLineEnds mode) {
        var all = "\r\n" + Cuts.text(message);
        for (int end = 3; end <= all.length(); end++) {
            var seen = all.substring(0, end);
            if (seen.endsWith("\r\n.\r\n")) {
                return new Outcome("end", all.substring(2, end), null, List.of());
            }
            var stopped = seen.length() - 1;
            boolean refused = switch (mode) {
                case PASS -> false;
                case GUARD -> isLookAlike(seen);
                case REFUSE -> isLookAlike(seen)
                        || seen.endsWith("\n") && !seen.endsWith("\r\n")
                        || seen.charAt(end - 2) == '\r' && !seen.endsWith("\n");
            };
            if (refused) {
                if (seen.substring(0, stopped).endsWith("\r\n.\r")) {
                    stopped--;
                }
                return new Outcome("no", all.substring(2, stopped), null, List.of());
            }
        }
        int withheld = mode != BareLineEnds.PASS && all.endsWith("\r\n.\r") ? 1 : 0;
        return new Outcome("more", all.substring(2, all.length() - withheld), null, List.of());
    }

    private static boolean isLookAlike(String seen) {
        var before = seen.substring(0, seen.length() - 1);
        if (before.endsWith("\r\n.\r")) {
            return !seen.endsWith("\n");
        }
        boolean atLineEnd = seen.endsWith("\r") || seen.endsWith("\n");
        boolean behindBareEnd = before.endsWith("\r.") || before.endsWith("\n.") && !before.endsWith("\r\n.");
        return atLineEnd && behindBareEnd || seen.endsWith("\r\n.\n");
    }

    @Test
    void agreesWithAnOctetwiseReferenceOnRandomMessages() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var alphabet = Cuts.octets("\r\r\r\n\n\n...a\0\u00ae\u008d/-");
        for (int round = 0; round < 40_000; round++) {
            var message = new byte[random.nextInt(90)];
            boolean sparse = random.nextBoolean();
            for (int i = 0; i < message.length; i++) {
                message[i] = sparse && random.nextInt(8) > 0 ? (byte) random.nextInt(256)
                        : alphabet[random.nextInt(alphabet.length)];
            }
            var mode = BareLineEnds.values()[round % 3];
            var expected = reference(message, mode);
            var actual = run(randomCuts(message, random), new EndOfData(mode));
            assertThat(actual.status + actual.out).as("seed %d, round %d, %s: %s", seed, round, mode,
                    Octets.escape(Cuts.text(message))).isEqualTo(expected.status + expected.out);
        }
    }

    private static List<ByteBuffer> randomCuts(byte[] message, Random random) {
        int a = random.nextInt(message.length + 1);
        int b = a + random.nextInt(message.length - a + 1);
        return List.of(Cuts.buffer(message, 0, a, random.nextInt(12)), Cuts.buffer(message, a, b, random.nextInt(12)),
                Cuts.buffer(message, b, message.length, random.nextInt(12)));
    }

    @Test
    void drainsARefusedMessageToItsTrueEndAndNoFurther() {
        long seed = System.nanoTime();
        var random = new Random(seed);
        var alphabet = Cuts.octets("\r\n.a");
        for (int round = 0; round < 20_000; round++) {
            var message = new byte[random.nextInt(30)];
            for (int i = 0; i < message.length; i++) {
                message[i] = alphabet[random.nextInt(alphabet.length)];
            }
            var whole = Cuts.join(message, Cuts.octets("\r\n.\r\n"));
            var trueEnd = reference(whole, BareLineEnds.PASS);
            var mode = round % 2 == 0 ? BareLineEnds.GUARD : BareLineEnds.REFUSE;
            var refused = run(randomCuts(whole, random), new EndOfData(mode));
            if (!refused.status.equals("no")) {
                continue;
            }
            var drained = run(refused.rest, refused.scanner.draining());
            assertThat(drained.status).as("seed %d, round %d, %s", seed, round, mode).isEqualTo("end");
            int left = drained.rest.stream().mapToInt(ByteBuffer::remaining).sum();
            assertThat(whole.length - left).as("seed %d, round %d, %s: %s", seed, round, mode,
                    Octets.escape(Cuts.text(whole))).isEqualTo(trueEnd.out.length());
        }
    }

    @Test
    void drainsAMessageThatWasNotRefusedFromAnyOctetOn() {
        var message = Cuts.octets("a\r\n..\r\n.b\r\n.\r\n");
        for (int cut = 0; cut < message.length; cut++) {
            var scanner = new EndOfData(BareLineEnds.GUARD);
            assertThat(scanner.scan(Cuts.buffer(message, 0, cut, cut))).isEqualTo(EndOfData.Status.MORE);
            var draining = scanner.draining();
            assertThat(draining.scan(Cuts.buffer(message, cut, message.length, cut))).as("cut %d", cut).isEqualTo(EndOfData.Status.END);
            assertThat(draining.passed()).isEqualTo(message.length - cut);
        }
        assertThat(new EndOfData(BareLineEnds.GUARD).draining().scan(ByteBuffer.wrap(Cuts.octets(".\r\n"))))
                .isEqualTo(EndOfData.Status.END);
    }

    @Test
    void withholdsOnlyTheCrBehindALoneDotAndReleasesItWithTheEnd() {
        var scanner = new EndOfData(BareLineEnds.GUARD);

        assertThat(scanner.scan(ByteBuffer.wrap(Cuts.octets("text\r\n.\r")))).isEqualTo(EndOfData.Status.MORE);
        assertThat(scanner.passed()).isEqualTo(7);
        assertThat(scanner.releasesCr()).isFalse();
        assertThat(scanner.scan(ByteBuffer.allocate(0))).isEqualTo(EndOfData.Status.MORE);
        assertThat(scanner.passed()).isZero();
        assertThat(scanner.scan(ByteBuffer.wrap(Cuts.octets("\nQUIT\r\n")))).isEqualTo(EndOfData.Status.END);
        assertThat(scanner.passed()).isEqualTo(1);
        assertThat(scanner.releasesCr()).isTrue();
    }

    @Test
    void neverReleasesAWithheldCrThatCompletesALookAlike() {
        var scanner = new EndOfData(BareLineEnds.GUARD);
        scanner.scan(ByteBuffer.wrap(Cuts.octets("text\r\n.\r")));

        assertThat(scanner.scan(ByteBuffer.wrap(Cuts.octets("MAIL FROM:<a@example.com>\r\n"))))
                .isEqualTo(EndOfData.Status.REFUSED);
        assertThat(scanner.passed()).isZero();
        assertThat(scanner.releasesCr()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(BareLineEnds.class)
    void streamsALineOfFiveMegabytes(BareLineEnds mode) {
        var line = new byte[5_000_000];
        Arrays.fill(line, (byte) '.');
        var message = Cuts.join(line, Cuts.octets("\r\n.\r\n"));

        for (int kind = 0; kind < 4; kind++) {
            var scanner = new EndOfData(mode);
            assertThat(scanner.scan(Cuts.buffer(message, 0, message.length, kind))).isEqualTo(EndOfData.Status.END);
            assertThat(scanner.passed()).isEqualTo(message.length);
        }
    }

    @Test
    void isNotUsedTwice() {
        var scanner = new EndOfData(BareLineEnds.GUARD);
        scanner.scan(ByteBuffer.wrap(Cuts.octets(".\r\n")));

        assertThatThrownBy(() -> scanner.scan(ByteBuffer.allocate(1)))
                .isInstanceOf(IllegalStateException.class).hasMessageContaining("new scanner");
        assertThatThrownBy(scanner::draining).isInstanceOf(IllegalStateException.class).hasMessageContaining("ended");
    }
}
