package dev.weft.relay;

import java.util.Objects;

/**
 * The key of a handler's own value on a session or transaction. Two keys of the same name are different keys, so handlers can't
 * disturb each other: keep the key in a constant.
 *
 * @param <T> the value's type
 */
public final class Attribute<T> {

    private final String name;

    private Attribute(String name) {
        this.name = Objects.requireNonNull(name, "name");
    }

    /**
     * Makes a new key.
     *
     * @param name shown in logs
     * @param <T> the value's type
     * @return a key equal to no other
     */
    public static <T> Attribute<T> named(String name) {
        return new Attribute<>(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
