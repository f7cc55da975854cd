/** The way in: {@link dev.weft.SmtpProxy} is built, started and closed; handlers come from {@link dev.weft.relay}. */
package dev.weft;
