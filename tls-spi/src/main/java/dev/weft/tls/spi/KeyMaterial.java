package dev.weft.tls.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.X509KeyManager;

/**
 * Where private keys and their certificates come from: PEM files, PEM bytes, or a key manager of the host's. Several can be
 * joined with {@link #and}: an RSA and an ECDSA certificate of the same name (each client gets the kind it can use, ECDSA first),
 * or certificates of several names, chosen by the name that the client asks for; the first ones are for all other names.
 */
public final class KeyMaterial {

    private sealed interface Source permits FileSource, ByteSource {}

    private record FileSource(Path chain, Path key) implements Source {}

    private record ByteSource(byte[] chain, byte[] key) implements Source {}

    private final List<Source> sources;
    private final X509KeyManager keyManager;

    private KeyMaterial(List<Source> sources, X509KeyManager keyManager) {
        this.sources = List.copyOf(sources);
        this.keyManager = keyManager;
    }

    /**
     * Keys in PEM files, which are looked at again by {@link TlsContext#maintain()}.
     *
     * @param chain the certificates, the key's own first
     * @param key the private key, not encrypted (PKCS #8, PKCS #1 or SEC 1); may be the same file
     * @return the material; nothing is read yet
     */
    public static KeyMaterial pem(Path chain, Path key) {
        var source = new FileSource(Objects.requireNonNull(chain, "chain"), Objects.requireNonNull(key, "key"));
        return new KeyMaterial(List.of(source), null);
    }

    /**
     * Keys in PEM form.
     *
     * @param chain the certificates, the key's own first
     * @param key the private key, not encrypted (PKCS #8, PKCS #1 or SEC 1)
     * @return the material
     */
    public static KeyMaterial pem(byte[] chain, byte[] key) {
        return new KeyMaterial(List.of(new ByteSource(chain.clone(), key.clone())), null);
    }

    /**
     * A key manager of the host's, which must not block. For the sake of speed prefer an own {@code X509ExtendedKeyManager} or a
     * "SunX509" one to a "PKIX" ("NewSunX509") one, which costs half a millisecond for each handshake.
     *
     * @param keyManager asked at each handshake
     * @return the material
     */
    public static KeyMaterial of(X509KeyManager keyManager) {
        return new KeyMaterial(List.of(), Objects.requireNonNull(keyManager, "keyManager"));
    }

    /**
     * This material, and then another.
     *
     * @param other what comes second
     * @return both
     * @throws IllegalArgumentException if one of them is a key manager, which can't be joined with anything
     */
    public KeyMaterial and(KeyMaterial other) {
        if (keyManager != null || other.keyManager != null) {
            throw new IllegalArgumentException("a key manager can't be joined with other material: let it choose among all keys");
        }
        var both = new ArrayList<>(sources);
        both.addAll(other.sources);
        return new KeyMaterial(both, null);
    }

    /**
     * The host's key manager.
     *
     * @return empty if the material is in PEM form
     */
    public Optional<X509KeyManager> keyManager() {
        return Optional.ofNullable(keyManager);
    }

    /**
     * Reads the PEM material and checks that keys and certificates belong together. Blocks on files.
     *
     * @return the keys in the order given; empty if there is a key manager
     * @throws TlsException if something can't be read or used, naming the file
     */
    public List<CertifiedKey> load() throws TlsException {
        var keys = new ArrayList<CertifiedKey>();
        for (var source : sources) {
            if (source instanceof FileSource files) {
                keys.add(Pem.certifiedKey(files.chain().toString(), read(files.chain()), files.key().toString(),
                        read(files.key())));
            } else if (source instanceof ByteSource bytes) {
                keys.add(Pem.certifiedKey("the PEM chain", bytes.chain(), "the PEM key", bytes.key()));
            }
        }
        return List.copyOf(keys);
    }

    /**
     * A text that is another one when a file was changed or replaced. Blocks on files.
     *
     * @return times, sizes and identities of all files; empty if there are none
     * @throws TlsException if a file is not there, naming it
     */
    public String stamp() throws TlsException {
        var stamp = new StringBuilder();
        for (var source : sources) {
            if (source instanceof FileSource files) {
                for (var file : List.of(files.chain(), files.key())) {
                    try {
                        var attributes = Files.readAttributes(file, BasicFileAttributes.class);
                        stamp.append(attributes.lastModifiedTime()).append(' ').append(attributes.size()).append(' ')
                                .append(attributes.fileKey()).append('\n');
                    } catch (IOException e) {
                        throw Pem.unreadable(file, e);
                    }
                }
            }
        }
        return stamp.toString();
    }

    private static byte[] read(Path file) throws TlsException {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw Pem.unreadable(file, e);
        }
    }
}
