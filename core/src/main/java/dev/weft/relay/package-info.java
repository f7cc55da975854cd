/**
 * What a host application implements and is given: {@link dev.weft.relay.RelayHandler} and the values around it.
 *
 * <h2>Order of the calls</h2>
 * <pre>
 * connect                      once: a route, or a refusal
 *   messageUse                 once: what may be done with messages
 *   greeting                   the greeting as the client will see it: the server's, or bound on mail the proxy's
 *   command / reply            each command before it passes, each reply to one
 *   command mail               a transaction begins
 *     mailRoute                bound on mail: where it goes; then it waits for a server leg, and MAIL is answered
 *     command rcpt             each recipient
 *       recipientRoute           bound on mail: whether it goes the same way; the first one may change it
 *     command message          DATA, or the first BDAT: how the message is carried
 *       read... end, or judge    the readers and judges that were chosen there
 *   transactionEnded           exactly once for each transaction
 * sessionClosed                exactly once, last
 * </pre>
 * Each line is asked of all handlers in their order before the next line is asked of any: {@code mailRoute} comes when the last
 * handler's {@code mail} let MAIL pass, so a refusal there costs no server leg. A {@code notice} may come at any time between.
 *
 * <h2>Threads</h2>
 * All calls for one session come on its event loop, one after the other, whichever loop a leased server leg came from. They
 * must not block: an answer that takes time is a {@link
 * dev.weft.relay.Verdict#later(java.util.concurrent.CompletionStage)}, which may be completed on any thread. Values given to a
 * handler are immutable and may be kept, except {@link dev.weft.relay.RelaySession} and {@link
 * dev.weft.relay.Transaction}, which are live views for use on the loop.
 */
package dev.weft.relay;
