package dev.weft.tls.conscrypt;

import dev.weft.tls.spi.KeyMaterial;
import dev.weft.tls.spi.TlsException;
import dev.weft.tls.spi.TlsVersion;
import dev.weft.tls.spi.support.ContextSupport;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.conscrypt.Conscrypt;

/** The provider objects, made once and never installed for the whole JVM: what else runs there keeps its own choice. */
final class ConscryptProvider {

    /** A pipe that Conscrypt makes for each of its TLS objects, though engines never use it. */
    static final int DESCRIPTORS = 2;

    private static final class Modern {
        static final Provider PROVIDER = Conscrypt.newProvider();
    }

    /**
     * Making this one lets TLS 1.0 and 1.1 through in the whole process, where Conscrypt keeps that switch; contexts that do not
     * name these versions still don't offer them.
     */
    private static final class Old {
        static final Provider PROVIDER = Conscrypt.newProviderBuilder().isTlsV1Deprecated(false).isTlsV1Enabled(true).build();
    }

    private ConscryptProvider() {}

    static ContextSupport context(Optional<KeyMaterial> keys, Set<TlsVersion> versions) throws TlsException {
        boolean old = versions.contains(TlsVersion.TLS_1_0) || versions.contains(TlsVersion.TLS_1_1);
        var provider = Modern.PROVIDER; // first: making it shuts the old versions out again
        if (old) {
            provider = Old.PROVIDER;
        }
        try {
            return ContextSupport.init(SSLContext.getInstance("TLS", provider), keys, ConscryptProvider::converted, versions);
        } catch (GeneralSecurityException e) {
            throw new TlsException("Conscrypt has no TLS: " + e.getMessage(), e);
        }
    }

    /** A key object of another provider would be taken apart and put together again at each handshake, 75 us for RSA. */
    private static PrivateKey converted(PrivateKey key) {
        if (key.getEncoded() == null) {
            return key; // it stays inside its provider, which then signs
        }
        try {
            return KeyFactory.getInstance(key.getAlgorithm(), Modern.PROVIDER)
                    .generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
        } catch (GeneralSecurityException e) {
            return key; // such as a curve that Conscrypt does not know: the handshake will tell
        }
    }
}
