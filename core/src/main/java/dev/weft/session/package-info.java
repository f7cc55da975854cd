/**
 * The protocol without I/O: {@link dev.weft.session.SmtpSession} is told what happened and orders what is to be done through one
 * small {@link dev.weft.session.SessionPort}. No sockets, no threads, no clock of its own: the same inputs give the same outputs,
 * cut into any segments, so a session can be tested, replayed and driven by a host's own I/O.
 *
 * <p>Inside there are four things: a phase for each leg, the reply queue, the command gate, and the message path. Every reply
 * reaches the client only from the head of the reply queue, so no reply can be given to the wrong command.
 *
 * <p>RFCs: 5321 (SMTP), 2920 (PIPELINING), 3030 (CHUNKING), 4954 (AUTH), 2034 and 3463 (enhanced codes).
 */
package dev.weft.session;
