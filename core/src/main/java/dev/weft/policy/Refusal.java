package dev.weft.policy;

import dev.weft.smtp.Reply;

/** What a permanent refusal is about, by the subject of its enhanced code (RFC 3463 §3). */
public enum Refusal {
    /** X.1: there is no such recipient, or the sender's address is no good. A high share speaks of a bad list. */
    ADDRESS,
    /** X.2: the mailbox is full or closed. */
    MAILBOX,
    /** X.3, X.4, X.5: the server, the network or the protocol. */
    SYSTEM,
    /** X.6: the message's form or content. */
    CONTENT,
    /** X.7: policy: spam, blocklists, authentication. */
    POLICY,
    /** X.0, or no enhanced code. */
    OTHER;

    static Refusal of(Reply reply) {
        return reply.enhancedCode().map(code -> switch (code.subject()) {
            case 1 -> ADDRESS;
            case 2 -> MAILBOX;
            case 3, 4, 5 -> SYSTEM;
            case 6 -> CONTENT;
            case 7 -> POLICY;
            default -> OTHER;
        }).orElse(OTHER);
    }
}
