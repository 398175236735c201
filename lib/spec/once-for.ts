/** What follows from an object that nobody changes, computed once for each of them and kept as long as it lives. */
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
