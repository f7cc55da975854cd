/** Host applications that embed Weft, one file per subject. */
module dev.weft.examples {
    requires dev.weft.core;
    requires java.logging;
    requires java.net.http;
    requires jdk.net;
    requires org.slf4j;

    provides org.slf4j.spi.SLF4JServiceProvider with dev.weft.examples.logging.JulServiceProvider;
}
