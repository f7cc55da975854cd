/** A small network of mail servers on one machine, in namespaces of its own: for experiments and for tests with real peers. */
package dev.weft.examples.lab;
