package dev.weft.relay;

import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;

/** Handlers' own values, for a session or a transaction. For use on the session's event loop only. */
public final class Attributes {

    private Map<Attribute<?>, Object> values;

    /** Makes an empty set of attributes. */
    public Attributes() {}

    /**
     * The value of a key.
     *
     * @param key the key
     * @param <T> the value's type
     * @return the value, or empty if none was put
     */
    @SuppressWarnings("unchecked") // put() lets only a T in under an Attribute<T>
    public <T> Optional<T> get(Attribute<T> key) {
        return values == null ? Optional.empty() : Optional.ofNullable((T) values.get(key));
    }

    /**
     * Puts a value in the place of an earlier one.
     *
     * @param key the key
     * @param value the value; null removes it
     * @param <T> the value's type
     */
    public <T> void put(Attribute<T> key, T value) {
        if (values == null) {
            if (value == null) {
                return;
            }
            values = new IdentityHashMap<>(4);
        }
        if (value == null) {
            values.remove(key);
        } else {
            values.put(key, value);
        }
    }
}
