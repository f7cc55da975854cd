/**
 * Benchmarks: {@link dev.weft.examples.bench.RelayBenchmark} compares with HAProxy, {@link dev.weft.examples.bench.RelaySoak}
 * proves endurance, {@link dev.weft.examples.bench.TlsBenchmark} tells what TLS costs beside Postfix, {@link
 * dev.weft.examples.bench.ReuseBenchmark} what the reuse of server legs saves, and {@link dev.weft.examples.bench.FaultTrials}
 * counts messages on both sides of a proxy whose servers and clients fail all the time.
 */
package dev.weft.examples.bench;
