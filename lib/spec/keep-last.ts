/** Sets a value in a map that keeps the `most` entries set last: beyond that, the one set longest ago is dropped. */
export function keepLast<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
