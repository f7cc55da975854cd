package dev.weft.nio;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A socket that sends a text and its first bytes in one write. */
final class Glue extends Socket {

    private final Socket under;
    private byte[] text;

    Glue(Socket under, String text) {
        this.under = under;
        this.text = text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return under.getInputStream();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return new FilterOutputStream(under.getOutputStream()) {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                var all = new ByteArrayOutputStream();
                all.writeBytes(text);
                text = new byte[0];
                all.write(bytes, from, length);
                out.write(all.toByteArray());
            }
        };
    }

    @Override
    public boolean isConnected() {
        return under.isConnected();
    }

    @Override
    public int getPort() {
        return under.getPort();
    }

    @Override
    public void close() throws IOException {
        under.close();
    }
}
