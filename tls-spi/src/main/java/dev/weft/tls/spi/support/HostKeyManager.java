package dev.weft.tls.spi.support;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509KeyManager;

/**
 * A key manager of the host's. It may be of the plain kind, which the JDK's engine never asks. And it answers for one kind of key
 * only where the client's hello is known: Conscrypt asks for every kind, whatever the client can use, and takes the last answer.
 */
public final class HostKeyManager extends X509ExtendedKeyManager {
    private static final String EC = "EC";

    private final X509KeyManager hosts;

    public HostKeyManager(X509KeyManager hosts) {
        this.hosts = hosts;
    }

    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        var hello = ClientHello.current();
        if (hello.isPresent()) {
            boolean ec = hello.get().takesEcdsa() && choose(EC, issuers, engine) != null;
            if (ec != keyType.equals(EC)) {
                return null;
            }
        }
        return choose(keyType, issuers, engine);
    }

    private String choose(String keyType, Principal[] issuers, SSLEngine engine) {
        return hosts instanceof X509ExtendedKeyManager extended ? extended.chooseEngineServerAlias(keyType, issuers, engine)
                : hosts.chooseServerAlias(keyType, issuers, null);
    }

    @Override
    public String chooseEngineClientAlias(String[] keyTypes, Principal[] issuers, SSLEngine engine) {
        return hosts instanceof X509ExtendedKeyManager extended ? extended.chooseEngineClientAlias(keyTypes, issuers, engine)
                : hosts.chooseClientAlias(keyTypes, issuers, null);
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return hosts.getClientAliases(keyType, issuers);
    }

    @Override
    public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
        return hosts.chooseClientAlias(keyTypes, issuers, socket);
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return hosts.getServerAliases(keyType, issuers);
    }

    @Override
    public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
        return hosts.chooseServerAlias(keyType, issuers, socket);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return hosts.getCertificateChain(alias);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return hosts.getPrivateKey(alias);
    }
}
