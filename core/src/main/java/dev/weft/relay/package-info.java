/**
 * What a host application implements and is given: {@link dev.weft.relay.RelayHandler} and the values around it.
 *
 * <h2>Order of the calls</h2>
 * <pre>
 * connect                      once: a route, or a refusal
 *   messageUse                 once: what may be done with messages
 *   greeting                   the server's greeting, as the client will see it
 *   command / reply            each command before it passes, each reply to one
 *   command mail               a transaction begins
 *     command rcpt             each recipient
 *     command message          DATA, or the first BDAT: how the message is carried
 *       read... end, or judge    the readers and judges that were chosen there
 *   transactionEnded           exactly once for each transaction
 * sessionClosed                exactly once, last
 * </pre>
 *
 * <h2>Threads</h2>
 * All calls for one session come on its event loop, one after the other. They must not block: an answer that takes time
 * is a {@link dev.weft.relay.Verdict#later(java.util.concurrent.CompletionStage)}, which may be completed on any thread. Values
 * given to a handler are immutable and may be kept, except {@link dev.weft.relay.RelaySession} and
 * {@link dev.weft.relay.Transaction}, which are live views for use on the loop.
 */
package dev.weft.relay;
