/**
 * What tests of a TLS backend need: {@link dev.weft.tls.testkit.TlsContract}, which every backend should pass,
 * {@link dev.weft.tls.testkit.TlsPair} to let two engines talk, {@link dev.weft.tls.testkit.TestCertificate} for keys and
 * certificates good and bad, and
 * {@link dev.weft.tls.testkit.IdentityBackend}, a backend that encrypts nothing. Needs no test framework.
 */
package dev.weft.tls.testkit;
