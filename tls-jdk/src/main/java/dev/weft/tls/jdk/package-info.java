/** The TLS backend that runs everywhere: the JDK's own {@link javax.net.ssl.SSLEngine}. */
package dev.weft.tls.jdk;
