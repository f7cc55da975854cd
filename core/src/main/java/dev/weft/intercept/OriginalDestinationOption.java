package dev.weft.intercept;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * SO_ORIGINAL_DST: what a connection's destination was before REDIRECT or DNAT changed it. The JDK can't ask for more than four
 * bytes, so this calls getsockopt by the foreign-function API, which is final since JDK 22. Weft compiles for 17, hence the
 * look-up by name.
 */
final class OriginalDestinationOption {
    private static final int SOL_IP = 0;
    private static final int SOL_IPV6 = 41;
    private static final int SO_ORIGINAL_DST = 80;
    private static final int SOCKADDR_IN = 16;
    private static final int SOCKADDR_IN6 = 28;
    private static final int ENOENT = 2;
    private static final int FIRST_JDK = 22;

    /** One scratch area a call: the captured errno, the length, the address; each where its alignment is right. */
    private static final int ERRNO_AT = 0;
    private static final int LENGTH_AT = 8;
    private static final int ADDRESS_AT = 16;
    private static final int SCRATCH = 48;

    private OriginalDestinationOption() {
    }

    /** Empty if it can be asked for; otherwise the reason and the mend. */
    static Optional<String> unavailable() {
        return Optional.ofNullable(Holder.FUNCTION.missing);
    }

    static InetSocketAddress read(SocketChannel accepted) throws IOException {
        var function = Holder.FUNCTION;
        if (function.missing != null) {
            throw new IOException(function.missing);
        }
        int descriptor = SocketOptionHelper.descriptor(accepted);
        var peer = (InetSocketAddress) accepted.getRemoteAddress();
        if (peer == null) {
            throw new NotYetConnectedException();
        }
        // By the peer's family, not the socket's: an IPv4 client on a dual-stack listener is known to SOL_IP alone.
        boolean v4 = Addresses.unmapped(peer.getAddress()) instanceof Inet4Address;
        int length = v4 ? SOCKADDR_IN : SOCKADDR_IN6;
        var scratch = ByteBuffer.allocateDirect(SCRATCH).order(ByteOrder.nativeOrder());
        scratch.putInt(LENGTH_AT, length);
        if (function.call(scratch, descriptor, v4 ? SOL_IP : SOL_IPV6, SO_ORIGINAL_DST) != 0) {
            throw refused(scratch.getInt(ERRNO_AT), peer);
        }
        return decoded(scratch, v4);
    }

    private static InetSocketAddress decoded(ByteBuffer scratch, boolean v4) {
        var address = new byte[v4 ? 4 : 16];
        scratch.get(ADDRESS_AT + (v4 ? 4 : 8), address);
        int port = (scratch.get(ADDRESS_AT + 2) & 0xff) << 8 | scratch.get(ADDRESS_AT + 3) & 0xff;
        return new InetSocketAddress(Addresses.of(address), port);
    }

    private static IOException refused(int errno, InetSocketAddress peer) {
        var client = Addresses.text(Addresses.unmapped(peer));
        return errno == ENOENT
                ? new IOException("the connection of " + client + " was not redirected (no NAT entry): it dialled the listener"
                        + " itself, or the redirect rule for its address family is missing")
                : new IOException("SO_ORIGINAL_DST for the connection of " + client + " was refused (errno " + errno
                        + "); are the redirect rule and connection tracking in place?");
    }

    private static final class Holder {
        private static final Function FUNCTION = Function.find();
    }

    /**
     * getsockopt, or why it is missing.
     *
     * @param getsockopt (segment for errno, descriptor, level, option, segment for value, segment for length) to int; segments
     *     as Object
     * @param segment makes a segment of a direct buffer
     */
    private record Function(MethodHandle getsockopt, MethodHandle segment, String missing) {

        int call(ByteBuffer scratch, int descriptor, int level, int option) throws IOException {
            try {
                Object errno = (Object) segment.invokeExact(scratch.slice(ERRNO_AT, LENGTH_AT));
                Object length = (Object) segment.invokeExact(scratch.slice(LENGTH_AT, ADDRESS_AT - LENGTH_AT));
                Object value = (Object) segment.invokeExact(scratch.slice(ADDRESS_AT, SCRATCH - ADDRESS_AT));
                return (int) getsockopt.invokeExact(errno, descriptor, level, option, value, length);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IOException("getsockopt failed unexpectedly", e);
            }
        }

        private static Function find() {
            int jdk = Runtime.version().feature();
            if (SocketOptionHelper.isLinux() && jdk < FIRST_JDK) {
                return missing("SO_ORIGINAL_DST needs the foreign-function API of JDK " + FIRST_JDK + " or later, and this is"
                        + " JDK " + jdk + "; run on JDK " + FIRST_JDK + " or later, or use TPROXY instead of REDIRECT");
            }
            var closed = SocketOptionHelper.unavailable();
            if (closed.isPresent()) {
                return missing(closed.get() + " " + nativeAccess());
            }
            try {
                return link();
            } catch (InvocationTargetException e) {
                // IllegalCallerException: --illegal-native-access=deny, or a JDK whose default that is.
                return missing("the JVM refuses native calls (" + e.getCause() + "); start it with " + nativeAccess());
            } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
                return missing("getsockopt can't be reached on JDK " + Runtime.version() + " (" + e
                        + "); use TPROXY instead of REDIRECT");
            }
        }

        private static Function link() throws ReflectiveOperationException {
            var linkerType = Class.forName("java.lang.foreign.Linker");
            var optionType = Class.forName("java.lang.foreign.Linker$Option");
            var layoutType = Class.forName("java.lang.foreign.MemoryLayout");
            var layouts = Class.forName("java.lang.foreign.ValueLayout");
            var segmentType = Class.forName("java.lang.foreign.MemorySegment");
            var descriptorType = Class.forName("java.lang.foreign.FunctionDescriptor");

            var linker = linkerType.getMethod("nativeLinker").invoke(null);
            var lookup = linkerType.getMethod("defaultLookup").invoke(linker);
            var symbol = ((Optional<?>) Class.forName("java.lang.foreign.SymbolLookup").getMethod("find", String.class)
                    .invoke(lookup, "getsockopt")).orElseThrow();

            var jint = layouts.getField("JAVA_INT").get(null);
            var pointer = layouts.getField("ADDRESS").get(null);
            var arguments = array(layoutType, jint, jint, jint, pointer, pointer);
            var descriptor = descriptorType.getMethod("of", layoutType, arguments.getClass()).invoke(null, jint, arguments);
            var options = array(optionType, optionType.getMethod("captureCallState", String[].class)
                    .invoke(null, (Object) new String[] {"errno"}));

            var handle = (MethodHandle) linkerType.getMethod("downcallHandle", segmentType, descriptorType, options.getClass())
                    .invoke(linker, symbol, descriptor, options);
            var segment = MethodHandles.lookup().unreflect(segmentType.getMethod("ofBuffer", java.nio.Buffer.class));
            return new Function(
                    handle.asType(MethodType.methodType(int.class,
                            Object.class, int.class, int.class, int.class, Object.class, Object.class)),
                    segment.asType(MethodType.methodType(Object.class, ByteBuffer.class)),
                    null);
        }

        private static Object array(Class<?> type, Object... elements) {
            var array = (Object[]) Array.newInstance(type, elements.length);
            System.arraycopy(elements, 0, array, 0, elements.length);
            return array;
        }

        private static Function missing(String why) {
            return new Function(null, null, why);
        }

        private static String nativeAccess() {
            return "--enable-native-access=" + SocketOptionHelper.flagTarget();
        }
    }
}
