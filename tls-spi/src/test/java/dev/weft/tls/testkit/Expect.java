package dev.weft.tls.testkit;

import java.util.Objects;

/** The few assertions that the contract needs, so that it needs no framework. */
final class Expect {
    private Expect() {}

    static void that(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError("expected: " + what);
        }
    }

    static void equal(Object actual, Object expected, String what) {
        if (!Objects.equals(actual, expected)) {
            throw new AssertionError(what + ": expected <" + expected + "> but was <" + actual + ">");
        }
    }
}
