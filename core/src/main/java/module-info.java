/** The SMTP proxy library: build a {@code SmtpProxy}, give it a handler, start it. */
module dev.weft.core {
    requires org.slf4j;
    requires transitive dev.weft.tls.spi;
    requires static jdk.net;

    exports dev.weft;
    exports dev.weft.intercept;
    exports dev.weft.policy;
    exports dev.weft.relay;
    exports dev.weft.session;
    exports dev.weft.smtp;
}
