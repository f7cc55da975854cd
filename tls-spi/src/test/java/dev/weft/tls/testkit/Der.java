package dev.weft.tls.testkit;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/** Writes as much DER as a certificate needs. */
final class Der {
    private static final DateTimeFormatter UTC_TIME = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

    private Der() {}

    static byte[] tagged(int tag, byte[]... parts) {
        var content = new ByteArrayOutputStream();
        for (var part : parts) {
            content.writeBytes(part);
        }
        var out = new ByteArrayOutputStream();
        out.write(tag);
        int length = content.size();
        if (length >= 0x100) {
            out.writeBytes(new byte[] {(byte) 0x82, (byte) (length >> 8), (byte) length});
        } else if (length >= 0x80) {
            out.writeBytes(new byte[] {(byte) 0x81, (byte) length});
        } else {
            out.write(length);
        }
        out.writeBytes(content.toByteArray());
        return out.toByteArray();
    }

    static byte[] sequence(byte[]... parts) {
        return tagged(0x30, parts);
    }

    static byte[] integer(BigInteger value) {
        return tagged(2, value.toByteArray());
    }

    static byte[] octets(byte[] content) {
        return tagged(4, content);
    }

    static byte[] bits(byte[] content) {
        return tagged(3, new byte[1], content);
    }

    static byte[] isTrue() {
        return tagged(1, new byte[] {-1});
    }

    static byte[] utf8(String text) {
        return tagged(12, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] time(Instant instant) {
        return tagged(0x17, UTC_TIME.format(instant).getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] oid(String dotted) {
        int[] arcs = Arrays.stream(dotted.split("\\.")).mapToInt(Integer::parseInt).toArray();
        var out = new ByteArrayOutputStream();
        out.write(arcs[0] * 40 + arcs[1]);
        for (int i = 2; i < arcs.length; i++) {
            for (int shift = 28; shift > 0; shift -= 7) {
                if (arcs[i] >>> shift != 0) {
                    out.write(0x80 | arcs[i] >>> shift & 0x7f);
                }
            }
            out.write(arcs[i] & 0x7f);
        }
        return tagged(6, out.toByteArray());
    }
}
