package dev.weft.examples.lab;

/** Real mail through a proxy that gets its traffic by TPROXY, on an inherited listener and without a privilege. */
class TproxyRelayIT extends RelayContract {
    TproxyRelayIT() {
        super(Interception.TPROXY);
    }
}
