import pLimit from 'p-limit';
import type { Store } from '../../lib/ports.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { writeParquet } from '../../local/shipper/segment.ts';

const TYPES = ['long', 'string', 'double', 'timestamptz', 'int', 'boolean'] as const;

/** Twelve columns, two of each type. */
export const schema: Schema = {
  type: 'struct',
  fields: Array.from({ length: 12 }, (_, at) => ({
    id: at + 1,
    name: `c${at + 1}`,
    required: false,
    type: TYPES[at % TYPES.length] ?? 'long',
  })),
};

const ROWS = 200;
const TEMPLATES = 8;

/** Real files of a few KiB with different values. A lake has one of them under each key. */
export function templates(): readonly Uint8Array[] {
  return Array.from({ length: TEMPLATES }, (_, template) =>
    writeParquet(
      schema,
      Array.from({ length: ROWS }, (_, row) => rowOf(template * ROWS + row)),
    ),
  );
}

function rowOf(seed: number) {
  const values = {
    long: BigInt(seed) * 1_000_003n,
    string: `value ${seed % 97} of ${seed}`,
    double: seed / 7,
    timestamptz: BigInt(seed) * 1_000_000n,
    int: seed % 1_000,
    boolean: seed % 3 === 0,
  } as const;
  return Object.fromEntries(
    schema.fields.map(({ name, type }) => [name, values[type as keyof typeof values]]),
  );
}

export const ROWS_A_SEGMENT = BigInt(ROWS);

/** Keys like a shipper's, in a directory per hour. */
export function segmentUris(url: string, hour: number, count: number): readonly string[] {
  const directory = `${hourDirectory(url, hour)}`;
  return Array.from({ length: count }, (_, at) => `${directory}/part-${String(at).padStart(7, '0')}.parquet`);
}

export function hourDirectory(url: string, hour: number): string {
  return `${url}/thadam/v1/bench/orders/dt=2026-01-01/hour=${String(hour).padStart(2, '0')}`;
}

const CONCURRENT_UPLOADS = 32;

export async function upload(store: Pick<Store, 'write'>, uris: readonly string[]): Promise<void> {
  const files = templates();
  await pLimit(CONCURRENT_UPLOADS).map(uris, async (uri, at) => {
    await store.write(uri, files[at % files.length] ?? new Uint8Array());
  });
}
