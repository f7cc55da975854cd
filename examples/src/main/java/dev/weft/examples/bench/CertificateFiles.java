package dev.weft.examples.bench;

import dev.weft.examples.ThrowAwayCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A certificate of a run in files, for whoever takes part in it. */
record CertificateFiles(ThrowAwayCertificate.Kind kind, Path chain, Path key) {

    static CertificateFiles make(Path directory, ThrowAwayCertificate.Kind kind) throws IOException {
        var made = ThrowAwayCertificate.make(kind, "mx.example");
        return new CertificateFiles(kind, Files.write(directory.resolve(kind + ".pem"), made.certificatePem()),
                Files.write(directory.resolve(kind + ".key"), made.keyPem()));
    }

    /** As it is known. */
    String title() {
        return kind == ThrowAwayCertificate.Kind.RSA ? "RSA-2048" : "P-256";
    }
}
