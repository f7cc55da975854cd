/**
 * Benchmarks: {@link dev.weft.examples.bench.RelayBenchmark} compares with HAProxy, {@link dev.weft.examples.bench.RelaySoak}
 * proves endurance, {@link dev.weft.examples.bench.TlsBenchmark} tells what TLS costs beside Postfix.
 */
package dev.weft.examples.bench;
