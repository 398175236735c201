/** Ways to keep what was computed: values, functions of objects, and the last few entries of a map. */

/** Makes a value at the first call and keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Makes a value at the first call and keeps it for the life of the container. After a failure the next call tries again. */
export function untilItWorks<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Caches a function of immutable objects: its result is computed once per object and kept as long as the object lives. */
export function onceFor<K extends object, V>(compute: (key: K) => V): (key: K) => V {
  const computed = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = computed.get(key);
    if (known !== undefined) return known.value;
    const value = compute(key);
    computed.set(key, { value });
    return value;
  };
}

/** Sets a value in a map that keeps the `most` entries set last: beyond that, the one set longest ago is dropped. */
export function keepLast<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
