/**
 * Finding where a client wanted to go, and leaving for there from a chosen address.
 *
 * <p>{@link dev.weft.intercept.Interception} names the ways to learn the original destination.
 * {@link dev.weft.intercept.InheritedListener} and {@link dev.weft.intercept.TransparentListener} give listeners for
 * intercepted traffic, {@link dev.weft.intercept.ProxyHeaderReader} reads the header of a balancer in front,
 * {@link dev.weft.intercept.LoopGuard} keeps the proxy from relaying to itself, and {@link dev.weft.intercept.SourceBinding}
 * opens the server leg. The package knows sockets, but neither event loops nor SMTP. IPv4-mapped IPv6 addresses never leave it:
 * they become IPv4.
 */
package dev.weft.intercept;
