package dev.weft.session;

import dev.weft.smtp.BareLineEnds;
import dev.weft.smtp.EhloKeywords;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * What is the same for all sessions of a proxy.
 *
 * @param timeouts the time limits
 * @param bareLineEnds what becomes of bare CR and LF in a message sent by DATA
 * @param ehloKeywords the EHLO keywords that pass when the server offers them, in upper case
 * @param commandLineLimit octets of a command line with its CRLF, at least 512; AUTH lines may have 12,288 (RFC 4954 §4)
 * @param replyLineLimit octets of one line of a server's reply
 * @param replyLimit octets of a whole reply
 * @param recipientsListed recipients of a transaction that are kept with their replies; further ones are relayed and counted only
 * @param authInClear whether AUTH passes on a client leg in clear though the server leg is in TLS; off by default
 * @param messages the limits of messages
 * @param onMail what holds for sessions that are bound on mail
 */
public record SessionSettings(
        Timeouts timeouts,
        BareLineEnds bareLineEnds,
        Set<String> ehloKeywords,
        int commandLineLimit,
        int replyLineLimit,
        int replyLimit,
        int recipientsListed,
        boolean authInClear,
        MessageLimits messages,
        OnMailSettings onMail) {

    /** The limit of AUTH lines (RFC 4954 §4). */
    static final int AUTH_LINE_LIMIT = 12_288;

    /** The defaults. */
    public static final SessionSettings DEFAULT = new SessionSettings(
            Timeouts.DEFAULT, BareLineEnds.GUARD, EhloKeywords.DEFAULT, 4096, 16 * 1024, 64 * 1024, 1000, false,
            MessageLimits.DEFAULT, OnMailSettings.DEFAULT);

    /**
     * Checks the limits and takes copies.
     *
     * @param timeouts the time limits
     * @param bareLineEnds what becomes of bare CR and LF in a message sent by DATA
     * @param ehloKeywords the EHLO keywords that pass when the server offers them, in upper case
     * @param commandLineLimit octets of a command line with its CRLF, at least 512; AUTH lines may have 12,288 (RFC 4954 §4)
     * @param replyLineLimit octets of one line of a server's reply
     * @param replyLimit octets of a whole reply
     * @param recipientsListed recipients of a transaction that are kept with their replies; further ones are relayed and counted
     *        only
     * @param authInClear whether AUTH passes on a client leg in clear though the server leg is in TLS
     * @param messages the limits of messages
     * @param onMail what holds for sessions that are bound on mail
     * @throws IllegalArgumentException if a limit is out of range
     */
    public SessionSettings {
        Objects.requireNonNull(timeouts, "timeouts");
        Objects.requireNonNull(bareLineEnds, "bareLineEnds");
        Objects.requireNonNull(messages, "messages");
        Objects.requireNonNull(onMail, "onMail");
        var upper = new LinkedHashSet<String>();
        ehloKeywords.forEach(keyword -> upper.add(keyword.toUpperCase(Locale.ROOT)));
        ehloKeywords = Set.copyOf(upper);
        atLeast("commandLineLimit", commandLineLimit, 512);
        atLeast("replyLineLimit", replyLineLimit, 512);
        atLeast("replyLimit", replyLimit, replyLineLimit);
        atLeast("recipientsListed", recipientsListed, 0);
    }

    /**
     * The same settings with other time limits.
     *
     * @param other the limits
     * @return the changed copy
     */
    public SessionSettings withTimeouts(Timeouts other) {
        return new SessionSettings(other, bareLineEnds, ehloKeywords, commandLineLimit, replyLineLimit, replyLimit, recipientsListed,
                authInClear, messages, onMail);
    }

    /**
     * The same settings with another treatment of bare CR and LF.
     *
     * @param other the treatment
     * @return the changed copy
     */
    public SessionSettings withBareLineEnds(BareLineEnds other) {
        return new SessionSettings(timeouts, other, ehloKeywords, commandLineLimit, replyLineLimit, replyLimit, recipientsListed,
                authInClear, messages, onMail);
    }

    /**
     * The same settings with another list of EHLO keywords.
     *
     * @param other the keywords, in any case
     * @return the changed copy
     */
    public SessionSettings withEhloKeywords(Set<String> other) {
        return new SessionSettings(timeouts, bareLineEnds, other, commandLineLimit, replyLineLimit, replyLimit, recipientsListed,
                authInClear, messages, onMail);
    }

    /**
     * The same settings with another limit for command lines.
     *
     * @param octets the limit with CRLF, at least 512
     * @return the changed copy
     */
    public SessionSettings withCommandLineLimit(int octets) {
        return new SessionSettings(timeouts, bareLineEnds, ehloKeywords, octets, replyLineLimit, replyLimit, recipientsListed,
                authInClear, messages, onMail);
    }

    /**
     * The same settings with other limits for the replies of servers.
     *
     * @param line octets of one line, at least 512
     * @param whole octets of a whole reply, at least as many
     * @return the changed copy
     * @throws IllegalArgumentException if a limit is out of range
     */
    public SessionSettings withReplyLimits(int line, int whole) {
        return new SessionSettings(timeouts, bareLineEnds, ehloKeywords, commandLineLimit, line, whole, recipientsListed,
                authInClear, messages, onMail);
    }

    /**
     * The same settings with another number of recipients that are listed for handlers.
     *
     * @param most of one transaction; further ones are relayed and counted only
     * @return the changed copy
     * @throws IllegalArgumentException if it is negative
     */
    public SessionSettings withRecipientsListed(int most) {
        return new SessionSettings(timeouts, bareLineEnds, ehloKeywords, commandLineLimit, replyLineLimit, replyLimit, most,
                authInClear, messages, onMail);
    }

    /**
     * The same settings with other limits of messages.
     *
     * @param other the limits
     * @return the changed copy
     */
    public SessionSettings withMessages(MessageLimits other) {
        return new SessionSettings(timeouts, bareLineEnds, ehloKeywords, commandLineLimit, replyLineLimit, replyLimit, recipientsListed,
                authInClear, other, onMail);
    }

    /**
     * The same settings with AUTH withheld or not where the client leg is in clear and the server leg is in TLS.
     *
     * @param passes true lets clients send in clear what the server asks for in TLS
     * @return the changed copy
     */
    public SessionSettings withAuthInClear(boolean passes) {
        return new SessionSettings(timeouts, bareLineEnds, ehloKeywords, commandLineLimit, replyLineLimit, replyLimit, recipientsListed,
                passes, messages, onMail);
    }

    /**
     * The same settings with others for sessions that are bound on mail.
     *
     * @param other the settings
     * @return the changed copy
     */
    public SessionSettings withOnMail(OnMailSettings other) {
        return new SessionSettings(timeouts, bareLineEnds, ehloKeywords, commandLineLimit, replyLineLimit, replyLimit, recipientsListed,
                authInClear, messages, other);
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + " = " + value + ": give at least " + least);
        }
    }
}
