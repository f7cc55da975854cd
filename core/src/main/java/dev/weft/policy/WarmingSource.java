package dev.weft.policy;

import java.net.InetAddress;

/**
 * How far an address has come in its warm-up.
 *
 * @param address the address
 * @param day 1 on the first day, and one more after each day that earned it
 * @param sent messages on that day
 * @param allowance messages that it may send on that day
 */
public record WarmingSource(InetAddress address, int day, int sent, int allowance) {}
