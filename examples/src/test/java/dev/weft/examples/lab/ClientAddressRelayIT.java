package dev.weft.examples.lab;

/** Real mail through a proxy whose server legs leave from the senders' own addresses, with one capability. */
class ClientAddressRelayIT extends RelayContract {
    ClientAddressRelayIT() {
        super(Interception.TPROXY_FROM_CLIENT_ADDRESS);
    }
}
