package dev.weft.tls.spi.support;

import dev.weft.tls.spi.CertificateJudge;
import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.TlsException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Chooses among PEM keys by the name that the client asks for and the kind of key that it can use, and changes the keys under a
 * living context, whose tickets stay good. The JDK's own "PKIX" key manager would cost Conscrypt half a millisecond a handshake.
 */
public final class SwitchingKeyManager extends X509ExtendedKeyManager {
    private static final String EC = "EC";

    /** A key, and what each handshake asks about it. */
    private record Entry(String alias, String type, PrivateKey key, X509Certificate[] chain, Predicate<String> isFor) {}

    private record Keys(String stamp, int generation, List<Entry> entries) {}

    private final KeyMaterial material;
    private final UnaryOperator<PrivateKey> conversion;
    private volatile Keys current;
    private volatile List<Entry> former = List.of(); // a handshake may have chosen just before a change

    private SwitchingKeyManager(KeyMaterial material, UnaryOperator<PrivateKey> conversion) throws TlsException {
        this.material = material;
        this.conversion = conversion;
        current = read(0);
    }

    /** Reads the keys; the conversion is applied to each private key once. */
    public static SwitchingKeyManager load(KeyMaterial material, UnaryOperator<PrivateKey> conversion) throws TlsException {
        return new SwitchingKeyManager(material, conversion);
    }

    /** Takes changed files into use; if they can't be used, the former keys stay. Not from two threads at once. */
    public void reload() throws TlsException {
        var old = current;
        if (!material.stamp().equals(old.stamp())) {
            var fresh = read(old.generation() + 1);
            former = old.entries();
            current = fresh;
        }
    }

    private Keys read(int generation) throws TlsException {
        var stamp = material.stamp(); // before the reading: a change in its midst is seen the next time
        var entries = new ArrayList<Entry>();
        for (var key : material.load()) {
            entries.add(new Entry(generation + "." + entries.size(), key.algorithm(), conversion.apply(key.key()),
                    key.chain().toArray(X509Certificate[]::new), CertificateJudge.namesOf(key.chain().get(0))));
        }
        return new Keys(stamp, generation, List.copyOf(entries));
    }

    /** The kinds of key that there are now, {@code RSA}, {@code EC}. */
    Set<String> types() {
        return current.entries().stream().map(Entry::type).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        var entries = current.entries();
        if (entries.size() == 1) {
            return firstOfType(entries, keyType);
        }
        var hello = ClientHello.current();
        var name = hello.isPresent() ? hello.get().serverName() : requestedName(engine);
        var candidates = forName(entries, name);
        if (hello.isPresent() && candidates.stream().anyMatch(entry -> isOfType(entry, EC))
                && candidates.stream().anyMatch(entry -> !isOfType(entry, EC))) {
            // Conscrypt asks for every kind whatever the client can use, and takes the last answer.
            boolean ec = hello.get().takesEcdsa();
            candidates = candidates.stream().filter(entry -> isOfType(entry, EC) == ec).toList();
        }
        return firstOfType(candidates, keyType);
    }

    /** The certificates for a name; if there are none, all of the first certificate's names: those for everybody else. */
    private static List<Entry> forName(List<Entry> entries, Optional<String> name) {
        if (name.isPresent()) {
            var matching = entries.stream().filter(entry -> entry.isFor().test(name.get())).toList();
            if (!matching.isEmpty()) {
                return matching;
            }
        }
        return entries;
    }

    private static String firstOfType(List<Entry> candidates, String keyType) {
        for (var entry : candidates) {
            if (isOfType(entry, keyType)) {
                return entry.alias();
            }
        }
        return null;
    }

    /** The types may have a second part, the issuer's kind of key: it is the peer's business to like the issuer. */
    private static boolean isOfType(Entry entry, String keyType) {
        int end = keyType.indexOf('_');
        var type = end < 0 ? keyType : keyType.substring(0, end);
        return entry.type().equals(type);
    }

    private static Optional<String> requestedName(SSLEngine engine) {
        if (engine != null && engine.getHandshakeSession() instanceof ExtendedSSLSession session) {
            for (var name : session.getRequestedServerNames()) {
                if (name.getType() == StandardConstants.SNI_HOST_NAME) {
                    return Optional.of(name instanceof SNIHostName host ? host.getAsciiName()
                            : new String(name.getEncoded(), StandardCharsets.US_ASCII));
                }
            }
        }
        return Optional.empty();
    }

    @Override
    public String chooseEngineClientAlias(String[] keyTypes, Principal[] issuers, SSLEngine engine) {
        for (var type : keyTypes) {
            var alias = firstOfType(current.entries(), type);
            if (alias != null) {
                return alias;
            }
        }
        return null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        var entry = entry(alias);
        return entry == null ? null : entry.chain().clone();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        var entry = entry(alias);
        return entry == null ? null : entry.key();
    }

    private Entry entry(String alias) {
        for (var entries : List.of(current.entries(), former)) {
            for (var entry : entries) {
                if (entry.alias().equals(alias)) {
                    return entry;
                }
            }
        }
        return null;
    }

    @Override
    public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
        return chooseEngineServerAlias(keyType, issuers, null);
    }

    @Override
    public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
        return chooseEngineClientAlias(keyTypes, issuers, null);
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return getClientAliases(keyType, issuers);
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return current.entries().stream().filter(entry -> isOfType(entry, keyType)).map(Entry::alias).toArray(String[]::new);
    }
}
