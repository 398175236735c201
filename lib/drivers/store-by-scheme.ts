import type { Store } from '../ports.ts';

/** Each URI to the store that its scheme names: `gs://` to the one that is loaded with the first of them, all others to `s3`. */
export function storeByScheme(s3: Store, loadGcs: () => Promise<Store>): Store {
  let loading: Promise<Store> | undefined;
  const gcs = () => {
    loading ??= loadGcs();
    return loading;
  };
  const isGcs = (uri: string) => /^gc?s:\/\//.test(uri);
  return {
    read: async (uri, options) => (isGcs(uri) ? await gcs() : s3).read(uri, options),
    write: async (uri, bytes, options) => (isGcs(uri) ? await gcs() : s3).write(uri, bytes, options),
    async *list(prefix, options) {
      yield* (isGcs(prefix) ? await gcs() : s3).list(prefix, options);
    },
  };
}
