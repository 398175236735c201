import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pLimit from 'p-limit';
import type { Store } from '../../lib/ports.ts';

const AT_ONCE = 8;

/** Copies every object below a URI into a folder, `s3://bucket/key` as `folder/bucket/key`. */
export async function mirror(store: Store, prefix: string, folder: string): Promise<void> {
  const limit = pLimit(AT_ONCE);
  const copies: Promise<void>[] = [];
  for await (const { uri } of store.list(prefix)) {
    copies.push(
      limit(async () => {
        const read = await store.read(uri);
        if (read.kind !== 'object') throw new Error(`Cannot copy "${uri}": it is ${read.kind}`);
        const path = join(folder, uri.slice('s3://'.length));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, read.bytes);
      }),
    );
  }
  await Promise.all(copies);
}
