import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { acceptanceCorpus } from '../acceptance-corpus.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folders = [
  path.join(root, 'test/files'),
  path.join(acceptanceCorpus, 'segments'),
  path.join(acceptanceCorpus, 'parquet-testing'),
];

/** The footers of the golden files, and of the acceptance corpus if it is there. */
export function realFooters(from: readonly string[] = folders): readonly Uint8Array[] {
  return from
    .map((folder) => path.resolve(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.parquet'))
        .sort()
        .map((name) => path.join(folder, name)),
    )
    .map((file) => readFileSync(file))
    .flatMap((bytes) => {
      const end = bytes.length - 8;
      const length = end > 4 ? bytes.readUInt32LE(end) : 0;
      return length > 0 && length <= end ? [bytes.subarray(end - length, end)] : [];
    });
}
