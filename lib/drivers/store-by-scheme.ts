import { once } from '../memo.ts';
import type { Store } from '../ports.ts';

/** Chooses the store by the URI's scheme: `gs://` goes to the Cloud Storage driver, which is loaded with its first use, all others to `s3`. */
export function storeByScheme(s3: Store, loadGcs: () => Promise<Store>): Store {
  const gcs = once(loadGcs);
  const isGcs = (uri: string) => /^gc?s:\/\//.test(uri);
  return {
    read: async (uri, options) => (isGcs(uri) ? await gcs() : s3).read(uri, options),
    write: async (uri, bytes, options) => (isGcs(uri) ? await gcs() : s3).write(uri, bytes, options),
    async *list(prefix, options) {
      yield* (isGcs(prefix) ? await gcs() : s3).list(prefix, options);
    },
  };
}
