/**
 * Three experiments with real mail servers: {@link dev.weft.examples.bench.experiments.Experiments} shows what becomes of
 * congestion, resources and fairness with Postfix as a relay, and with Weft.
 */
package dev.weft.examples.bench.experiments;
