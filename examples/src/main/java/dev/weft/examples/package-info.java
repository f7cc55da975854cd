/** Host applications that embed Weft: the standalone proxy, the quickstart, and one file for each kind of custom handler. */
package dev.weft.examples;
