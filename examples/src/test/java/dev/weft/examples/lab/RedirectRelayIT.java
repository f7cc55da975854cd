package dev.weft.examples.lab;

/** Real mail through a proxy that gets its traffic by REDIRECT. */
class RedirectRelayIT extends RelayContract {
    RedirectRelayIT() {
        super(Interception.REDIRECT);
    }

    @Override
    Prerequisites prerequisites() {
        return new Prerequisites().javaAtLeast(22, "the original destination of REDIRECT is read by foreign functions");
    }
}
