package dev.weft.relay;

/**
 * Judges a message that is kept whole. Called once, on the session's event loop, and must not block: files are read elsewhere.
 */
@FunctionalInterface
public interface MessageJudge {

    /**
     * The message is whole; the server has not heard of it.
     *
     * @param message the message, as the judges before this one have left it
     * @return proceed to relay it as it is, a rewrite to relay it changed, or a refusal; now or later
     */
    Verdict<MessageChange> judge(HeldMessage message);
}
