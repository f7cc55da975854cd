/** What a host application brings for logs: a line writer that never blocks, and SLF4J's way to {@code java.util.logging}. */
package dev.weft.examples.logging;
