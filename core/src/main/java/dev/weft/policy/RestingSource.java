package dev.weft.policy;

import java.net.InetAddress;
import java.time.Instant;

/**
 * An address that is not used at a destination for a while.
 *
 * @param address the address
 * @param destination where it rests
 * @param until when the rest ends
 * @param reason why, such as the reply that refused it
 */
public record RestingSource(InetAddress address, String destination, Instant until, String reason) {}
