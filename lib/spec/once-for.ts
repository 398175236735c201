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
