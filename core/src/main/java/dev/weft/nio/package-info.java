/**
 * Event loops, listeners, legs, timers: moves bytes and drives sessions through their port. Holds no SMTP grammar. Not exported.
 */
package dev.weft.nio;
