/** What the two backends on {@link javax.net.ssl.SSLEngine} share. Not for hosts. */
package dev.weft.tls.spi.support;
