/**
 * The protocol without I/O: {@link dev.weft.session.SmtpSession} is told what happened and orders what is to be done through one
 * small {@link dev.weft.session.SessionPort}. No sockets, no threads, no clock of its own: the same inputs give the same outputs,
 * cut into any segments, so a session can be tested, replayed and driven by a host's own I/O.
 *
 * <p>Inside there are four things: a phase for each leg, the reply queue, the command gate, and the message path. Every reply
 * reaches the client only from the head of the reply queue, so no reply can be given to the wrong command.
 *
 * <h2>Order of the calls</h2>
 * Bound on connect: {@link dev.weft.session.SmtpSession#start}, the order {@code connect}, {@code serverConnected}, and then the
 * bytes of both sides as they come. Bound on mail no leg is connected; instead
 * <pre>
 * EHLO       askOffer -> offerKnown                     what the client may be offered
 * MAIL       mail, mailRoute of the handlers
 *            lease -> leaseGranted | leaseRefused       then MAIL is answered, by the session
 * RCPT       rcpt, recipientRoute of the handlers
 *            MAIL and RCPT to the server                another route than MAIL's, at the first: giveBack, and lease again
 * DATA ...   the message to the server
 * the end    giveBack, or close where the leg is of no use any more
 * </pre>
 * A host's own driver opens legs for leases with {@link dev.weft.session.LegOpening}, and watches idle ones with {@link
 * dev.weft.session.IdleLeg}.
 *
 * <h2>Threads</h2>
 * A session, an opening and an idle leg are each called on one thread at a time, and call their port, and the session its
 * handlers, on that thread, from within an input. A leg may go from one session to another that lives on another thread only
 * while it is between the two. Values are immutable and may be shared.
 *
 * <p>RFCs: 5321 (SMTP), 2920 (PIPELINING), 3030 (CHUNKING), 4954 (AUTH), 2034 and 3463 (enhanced codes).
 */
package dev.weft.session;
