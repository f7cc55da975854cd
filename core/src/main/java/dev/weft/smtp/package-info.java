/**
 * The grammar of SMTP: commands, replies, capabilities, paths, line and message readers. Octets in, octets out: nothing is
 * decoded and encoded again on its way through. No state of a session, no input or output, no logging.
 */
package dev.weft.smtp;
