package dev.weft.intercept;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * Socket options of Linux that the JDK doesn't offer, set through the JDK's own inside. Only this class and
 * {@code OriginalDestinationOption} reflect; all else asks them.
 *
 * <p>It needs one flag, {@code --add-opens java.base/sun.nio.ch=ALL-UNNAMED} (on the module path {@code =dev.weft.core}), and
 * for two of the options a capability. Where it can't work {@link #unavailable} says why and what to do, and the setters throw
 * an {@link IOException} with that text. The inside is looked up once; every method may be called from any thread, but a
 * channel must not be closed by another thread meanwhile.
 */
public final class SocketOptionHelper {
    private static final int SOL_IP = 0;
    private static final int SOL_SOCKET = 1;
    private static final int IP_TRANSPARENT = 19;
    private static final int IP_BIND_ADDRESS_NO_PORT = 24;
    private static final int SO_MARK = 36;

    private SocketOptionHelper() {
    }

    /**
     * Whether the options can be set at all in this JVM; a capability may still be missing ({@link #transparentUnavailable}).
     *
     * @return empty if they can, otherwise the reason and the mend
     */
    public static Optional<String> unavailable() {
        return Optional.ofNullable(Holder.INSIDE.missing);
    }

    /**
     * Whether {@link #setTransparent} would succeed, tried on a socket of its own; meant for start-up.
     *
     * @return empty if it would, otherwise the reason and the mend
     */
    public static Optional<String> transparentUnavailable() {
        try (var trial = SocketChannel.open()) {
            setTransparent(trial);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Sets IP_TRANSPARENT: a listener takes connections to foreign addresses, a client socket may be bound to one. To be called
     * before the channel is bound; it holds for IPv4 and IPv6. Needs CAP_NET_RAW or CAP_NET_ADMIN.
     *
     * @param channel an open channel of the JDK's own
     * @throws IOException if it can't be set, with the reason and the mend
     */
    public static void setTransparent(NetworkChannel channel) throws IOException {
        set(channel, SOL_IP, IP_TRANSPARENT, 1, "IP_TRANSPARENT",
                "give the process CAP_NET_RAW or CAP_NET_ADMIN (systemd: AmbientCapabilities=CAP_NET_RAW)");
    }

    /**
     * Sets IP_BIND_ADDRESS_NO_PORT: a bind to port 0 chooses the address only, and connect chooses the port. So one source
     * address carries a full range of ports to each server instead of one range in all. To be called before the channel is
     * bound. Needs no privilege.
     *
     * @param channel an open channel of the JDK's own
     * @throws IOException if it can't be set, with the reason and the mend
     */
    public static void setBindAddressNoPort(NetworkChannel channel) throws IOException {
        set(channel, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1, "IP_BIND_ADDRESS_NO_PORT",
                "this kernel seems not to know it (Linux 4.2 and later do)");
    }

    /**
     * Sets SO_MARK, by which routing and packet filter rules can tell the proxy's own connections. Needs CAP_NET_RAW (since
     * Linux 5.17) or CAP_NET_ADMIN.
     *
     * @param channel an open channel of the JDK's own
     * @param mark the mark, as the rules name it
     * @throws IOException if it can't be set, with the reason and the mend
     */
    public static void setMark(NetworkChannel channel, int mark) throws IOException {
        set(channel, SOL_SOCKET, SO_MARK, mark, "SO_MARK", "give the process CAP_NET_RAW (before Linux 5.17: CAP_NET_ADMIN),"
                + " or tell the proxy's connections by its user id in the rules");
    }

    /** Whether IP_BIND_ADDRESS_NO_PORT works here, tried once on a socket of its own. */
    static boolean bindsLate() {
        return BindsLate.WORKS;
    }

    /** The descriptor's number, for the foreign-function API. */
    static int descriptor(SocketChannel channel) throws IOException {
        return (int) call(channel, () -> (int) Holder.INSIDE.descriptorValue.invokeExact((Object) channel));
    }

    /**
     * The address that the kernel knows: the channel itself tells the port of a late binding only once it has finished
     * connecting.
     */
    static InetSocketAddress localAddress(SocketChannel channel) throws IOException {
        return (InetSocketAddress) call(channel, () -> {
            var descriptor = (FileDescriptor) Holder.INSIDE.descriptor.invokeExact((Object) channel);
            return (InetSocketAddress) Holder.INSIDE.localAddress.invokeExact(descriptor);
        });
    }

    /** The flag in the form that this deployment of Weft needs. */
    static String addOpens() {
        return "--add-opens java.base/sun.nio.ch=" + flagTarget();
    }

    /** A flag names the module on the module path, and everything unnamed on the class path. */
    static String flagTarget() {
        var module = SocketOptionHelper.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    static boolean isLinux() {
        return "Linux".equals(System.getProperty("os.name"));
    }

    private static void set(NetworkChannel channel, int level, int option, int value, String name, String mend)
            throws IOException {
        try {
            call(channel, () -> {
                var descriptor = (FileDescriptor) Holder.INSIDE.descriptor.invokeExact((Object) channel);
                Holder.INSIDE.setIntOption.invokeExact(descriptor, false, level, option, value, false);
                return null;
            });
        } catch (SocketException refused) {
            throw withCause(new SocketException(name + " was refused (" + refused.getMessage() + "): " + mend), refused);
        }
    }

    private interface Call {
        Object run() throws Throwable;
    }

    private static Object call(NetworkChannel channel, Call call) throws IOException {
        if (Holder.INSIDE.missing != null) {
            throw new IOException(Holder.INSIDE.missing);
        }
        if (!Holder.INSIDE.selectable.isInstance(channel)) {
            throw new IOException("channel of " + channel.getClass() + " is not the JDK's own; hand over one that"
                    + " ServerSocketChannel.open() or SocketChannel.open() made");
        }
        // A closed channel keeps its descriptor's number, which may be another socket's by now.
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        try {
            return call.run();
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IOException("the JDK's inside failed unexpectedly", e);
        }
    }

    private static <E extends Exception> E withCause(E exception, Throwable cause) {
        exception.initCause(cause);
        return exception;
    }

    /** The probe runs when first needed, and so never in this class's own initialiser. */
    private static final class Holder {
        private static final Inside INSIDE = Inside.find();
    }

    private static final class BindsLate {
        private static final boolean WORKS = probe();

        private static boolean probe() {
            try (var trial = SocketChannel.open()) {
                setBindAddressNoPort(trial);
                return true;
            } catch (IOException e) {
                return false;
            }
        }
    }

    /**
     * What is needed of sun.nio.ch; its signatures are the same from JDK 17 to 25. Either everything is there or {@code
     * missing} is.
     */
    private record Inside(Class<?> selectable, MethodHandle descriptor, MethodHandle descriptorValue, MethodHandle setIntOption,
            MethodHandle localAddress, String missing) {

        private static Inside find() {
            if (!isLinux()) {
                return missing("these socket options are Linux's, and this is " + System.getProperty("os.name")
                        + "; use the PROXY protocol or a fixed server here");
            }
            try {
                var selectable = Class.forName("sun.nio.ch.SelChImpl");
                var getDescriptor = selectable.getMethod("getFD");
                var getDescriptorValue = selectable.getMethod("getFDVal");
                var net = Class.forName("sun.nio.ch.Net");
                var setIntOption = net.getDeclaredMethod("setIntOption0", FileDescriptor.class, boolean.class,
                        int.class, int.class, int.class, boolean.class);
                var localAddress = net.getDeclaredMethod("localAddress", FileDescriptor.class);
                for (var method : new Method[] {getDescriptor, getDescriptorValue, setIntOption, localAddress}) {
                    method.setAccessible(true);
                }
                var lookup = MethodHandles.lookup();
                return new Inside(selectable,
                        lookup.unreflect(getDescriptor).asType(MethodType.methodType(FileDescriptor.class, Object.class)),
                        lookup.unreflect(getDescriptorValue).asType(MethodType.methodType(int.class, Object.class)),
                        lookup.unreflect(setIntOption),
                        lookup.unreflect(localAddress),
                        null);
            } catch (InaccessibleObjectException | IllegalAccessException closed) {
                return missing("the JDK keeps its package sun.nio.ch closed to Weft; start the JVM with " + addOpens());
            } catch (ReflectiveOperationException | RuntimeException | LinkageError other) {
                return missing("JDK " + Runtime.version() + " lacks what Weft needs of sun.nio.ch (" + other
                        + "); use JDK 17 to 25, an inherited listener, the PROXY protocol or a fixed server");
            }
        }

        private static Inside missing(String why) {
            return new Inside(null, null, null, null, null, why);
        }
    }
}
