package dev.weft.tls.spi;

/** Makes engines that act as TLS servers. */
public interface TlsServerContext extends TlsContext {

    /**
     * Makes an engine for one connection.
     *
     * @return the engine, which waits for the client's first record
     * @throws TlsException if none can be made, for want of file descriptors for example
     */
    TlsEngine engine() throws TlsException;
}
