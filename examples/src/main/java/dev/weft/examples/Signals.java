package dev.weft.examples;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes SIGTERM and SIGINT. A shutdown hook would do for the first of them, but it could neither see a second one nor choose
 * the exit code, and {@code java.util.logging} stops at the same moment. The JDK's only way to signals is the unsupported
 * {@code sun.misc.Signal}, which javac can't be told not to warn of: hence reflection.
 */
final class Signals {

    private Signals() {}

    /**
     * Calls the receiver with TERM or INT, on a thread of the JVM, each time that one comes.
     *
     * @return false if this JVM has no such means; then a signal ends the JVM by its shutdown hooks
     */
    static boolean receive(Consumer<String> receiver) {
        try {
            var signal = Class.forName("sun.misc.Signal");
            var handler = Class.forName("sun.misc.SignalHandler");
            var proxy = Proxy.newProxyInstance(handler.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) ->
                    switch (method.getName()) {
                        case "handle" -> {
                            receiver.accept((String) signal.getMethod("getName").invoke(arguments[0]));
                            yield null;
                        }
                        case "equals" -> self == arguments[0];
                        case "hashCode" -> System.identityHashCode(self);
                        default -> "the proxy's signal handler";
                    });
            for (var name : List.of("TERM", "INT")) {
                signal.getMethod("handle", signal, handler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            }
            return true;
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            return false;
        }
    }
}
