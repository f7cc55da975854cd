package dev.weft.testkit;

import java.time.Duration;

/** What goes wrong with a scripted peer. A value: the same fault may be used at many moments and in many servers. */
public sealed interface Fault {

    /**
     * It answers late.
     *
     * @param time how late
     */
    record Delay(Duration time) implements Fault {}

    /** It closes the connection in order, without an answer. */
    record Cut() implements Fault {}

    /** It resets the connection. */
    record Reset() implements Fault {}

    /** It shuts down its output without an answer, and reads on until the peer closes. */
    record HalfClose() implements Fault {}

    /**
     * From now on it writes in small pieces, each in a write of its own.
     *
     * @param bytesPerWrite octets per write
     * @param pause between two writes
     */
    record Drip(int bytesPerWrite, Duration pause) implements Fault {}

    /** It never writes again, and reads on until the peer closes. */
    record Silence() implements Fault {}

    /** It reads nothing more and writes nothing more, but keeps the connection until the server is closed. */
    record Deafness() implements Fault {}

    /**
     * It says something else.
     *
     * @param wire the reply, or several, without the last CRLF; lines are separated by CRLF
     */
    record Answer(String wire) implements Fault {}

    /**
     * The fault happens once the answer was written.
     *
     * @param fault what happens then
     */
    record After(Fault fault) implements Fault {}

    /**
     * It answers late.
     *
     * @param time how late
     * @return the fault
     */
    static Fault delay(Duration time) {
        return new Delay(time);
    }

    /**
     * It closes the connection in order, without an answer.
     *
     * @return the fault
     */
    static Fault cut() {
        return new Cut();
    }

    /**
     * It resets the connection.
     *
     * @return the fault
     */
    static Fault reset() {
        return new Reset();
    }

    /**
     * It shuts down its output without an answer, and reads on until the peer closes.
     *
     * @return the fault
     */
    static Fault halfClose() {
        return new HalfClose();
    }

    /**
     * From now on it writes in small pieces, each in a write of its own, 1 ms apart.
     *
     * @param bytesPerWrite octets per write
     * @return the fault
     */
    static Fault drip(int bytesPerWrite) {
        return new Drip(bytesPerWrite, Duration.ofMillis(1));
    }

    /**
     * It never writes again, and reads on until the peer closes.
     *
     * @return the fault
     */
    static Fault silence() {
        return new Silence();
    }

    /**
     * It reads nothing more and writes nothing more.
     *
     * @return the fault
     */
    static Fault deafness() {
        return new Deafness();
    }

    /**
     * It says something else. To DATA, an answer that is not a 354 means that no message is read.
     *
     * @param wire the reply, or several, without the last CRLF; lines are separated by CRLF
     * @return the fault
     */
    static Fault answer(String wire) {
        return new Answer(wire);
    }

    /**
     * This fault, but once the answer was written.
     *
     * @return the fault
     */
    default Fault afterAnswer() {
        return new After(this);
    }
}
