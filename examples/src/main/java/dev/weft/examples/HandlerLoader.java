package dev.weft.examples;

import dev.weft.relay.RelayHandler;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes the handlers that the command line names. They have a class loader of their own above the proxy's, since
 * {@code java -jar} ignores the class path. It stays open: a handler may load classes as long as the proxy runs.
 */
final class HandlerLoader {

    private final ClassLoader loader;

    HandlerLoader(List<Path> path) {
        var urls = new ArrayList<URL>();
        for (var entry : path) {
            try {
                urls.add(entry.toUri().toURL());
            } catch (MalformedURLException e) {
                throw new IllegalArgumentException("handler path " + entry + " has no URL", e);
            }
        }
        loader = new URLClassLoader("handlers", urls.toArray(URL[]::new), HandlerLoader.class.getClassLoader());
    }

    /** For libraries of the handlers that look for services by the thread's loader: threads made from now on inherit it. */
    void useForThreads() {
        Thread.currentThread().setContextClassLoader(loader);
    }

    RelayHandler load(String className) throws UsageException {
        var option = "--handler " + className + ": ";
        try {
            var type = Class.forName(className, true, loader);
            if (!RelayHandler.class.isAssignableFrom(type)) {
                throw new UsageException(option + "the class is no dev.weft.relay.RelayHandler; implement that interface");
            }
            return (RelayHandler) type.getConstructor().newInstance();
        } catch (ClassNotFoundException e) {
            throw new UsageException(option
                    + "there is no such class; name it with its package, and its jar or directory in --handler-path");
        } catch (NoSuchMethodException | IllegalAccessException | InstantiationException e) {
            throw new UsageException(option
                    + "it needs to be a public class, not abstract, with a public constructor without parameters");
        } catch (InvocationTargetException e) {
            throw new UsageException(option + "its constructor failed: " + e.getCause());
        } catch (LinkageError e) {
            throw new UsageException(option + "it could not be loaded: " + e + "; are all of its jars in --handler-path?");
        }
    }
}
