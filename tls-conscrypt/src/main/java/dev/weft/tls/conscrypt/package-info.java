/** The TLS backend on Conscrypt, which brings BoringSSL as native code for Linux, macOS and Windows. */
package dev.weft.tls.conscrypt;
