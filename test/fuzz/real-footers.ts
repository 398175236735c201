import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const folders = ['test/files', '../shared/corpus/segments', '../shared/corpus/parquet-testing'];

/** The footers of the golden files, and of the acceptance corpus where it lies beside the checkout. */
export function realFooters(from: readonly string[] = folders): readonly Uint8Array[] {
  return from
    .map((folder) => path.join(root, folder))
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
