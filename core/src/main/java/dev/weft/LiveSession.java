package dev.weft;

import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * A session that was open when it was asked for.
 *
 * @param id the session's id
 * @param client who opened the connection
 * @param originalDestination the address and port that the client dialled
 * @param age since it was accepted
 */
public record LiveSession(String id, InetSocketAddress client, InetSocketAddress originalDestination, Duration age) {}
