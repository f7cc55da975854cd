/**
 * For tests of hosts' handlers and of Weft itself, free of any test framework: what fails throws an {@link AssertionError}.
 *
 * <ul>
 *   <li>{@link dev.weft.testkit.Transcript} replays a written dialogue into a session, whole and cut anywhere, in virtual time.
 *   <li>{@link dev.weft.testkit.ScriptedServer} and {@link dev.weft.testkit.ScriptedClient} are peers on real sockets, with
 *       {@linkplain dev.weft.testkit.Fault faults} as values at named {@linkplain dev.weft.testkit.Moment moments}.
 *   <li>{@link dev.weft.testkit.RecordingHandler} keeps what a handler is told as lines of text.
 * </ul>
 */
package dev.weft.testkit;
