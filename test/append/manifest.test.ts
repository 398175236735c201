import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readContainer } from '../../lib/append/avro/object-container.ts';
import { encodeManifest, readEntryMetrics, readManifestEntries } from '../../lib/append/manifest.ts';
import { decodeAvro, withoutDocs } from './avro-oracle.ts';
import { javaDataFiles, javaPartitionFields, javaSchema, javaSpecs, SNAPSHOT_ID } from './java-inputs.ts';
import { dataFile } from './table.ts';

const sync = Buffer.alloc(16, 7);

function encode(formatVersion: 1 | 2 | 3, kind: 'unpartitioned' | 'partitioned'): Buffer {
  return encodeManifest({
    formatVersion,
    snapshotId: SNAPSHOT_ID,
    schema: javaSchema,
    spec: javaSpecs[kind],
    partitionFields: javaPartitionFields(kind),
    dataFiles: javaDataFiles(kind),
    sync,
  });
}

const golden = (name: string): Buffer => readFileSync(new URL(`files/${name}`, import.meta.url));

describe.each([1, 2, 3] as const)('a manifest of format version %i', (formatVersion) => {
  describe.each(['unpartitioned', 'partitioned'] as const)('of an %s table', (kind) => {
    const java = golden(`v${formatVersion}-${kind}-manifest.avro`);
    const ours = encode(formatVersion, kind);

    it('has the schema of Java, every ID, name, nullability and logical type (C1, C4, C8, C27)', async () => {
      // Java refers to the decimal of `dec` by its name in `dec2`, which PyIceberg cannot resolve.
      const dec2 = {
        type: 'fixed',
        name: 'decimal_9_2_1014',
        size: 4,
        logicalType: 'decimal',
        precision: 9,
        scale: 2,
      };
      const theirs = JSON.stringify(withoutDocs((await decodeAvro(java)).schema));
      const expected: unknown = JSON.parse(
        theirs.replace('["null","decimal_9_2"]', JSON.stringify(['null', dec2])),
      );
      expect((await decodeAvro(ours)).schema).toEqual(expected);
    });

    it('has the rows of Java, read by an independent reader', async () => {
      const { rows } = await decodeAvro(ours);
      expect(rows).toHaveLength(2);
      expect(rows).toEqual((await decodeAvro(java)).rows);
    });

    it('has the header of Java: the table schema, the fields of the spec, all of it text (C2, C3)', async () => {
      const { metadata } = await decodeAvro(ours);
      const theirs = (await decodeAvro(java)).metadata;
      for (const key of ['schema', 'partition-spec']) {
        expect(JSON.parse(metadata[key] ?? ''), key).toEqual(JSON.parse(theirs[key] ?? ''));
      }
      for (const key of ['partition-spec-id', 'format-version', 'content', 'avro.codec']) {
        expect(metadata[key], key).toBe(theirs[key]);
      }
      expect(metadata['schema-id']).toBe('3');
    });

    it.each([
      ['Java', java],
      ['this project', ours],
    ])('written by %s is read by readManifestEntries', (_writer, bytes) => {
      expect([...readManifestEntries(bytes, 'm.avro')]).toEqual(
        [0, 1].map((n) => ({
          manifestPath: 'm.avro',
          status: 'added',
          snapshotId: SNAPSHOT_ID,
          filePath: `s3://bucket/key ${n}%20ü.parquet`,
          recordCount: BigInt(10 + n),
          fileSizeInBytes: BigInt(123456 + n),
        })),
      );
    });

    it.each([
      ['Java', java],
      ['this project', ours],
    ])('written by %s has its metrics read by readEntryMetrics, of the file asked for', (_writer, bytes) => {
      const [, file] = javaDataFiles('unpartitioned');
      if (file === undefined) throw new Error('no second file');
      expect(readEntryMetrics(bytes, 'm.avro', 's3://bucket/key 1%20ü.parquet')).toEqual({
        recordCount: 11n,
        columnSizes: file.columnSizes,
        valueCounts: file.valueCounts,
        nullValueCounts: file.nullValueCounts,
        lowerBounds: plain(file.lowerBounds),
        upperBounds: plain(file.upperBounds),
        splitOffsets: [],
      });
      expect(readEntryMetrics(bytes, 'm.avro', 's3://bucket/other.parquet')).toBeUndefined();
    });
  });
});

/** The values as Buffers, which is what a reader returns. */
const plain = (bounds: ReadonlyMap<number, Uint8Array>) =>
  new Map(bounds.entries().map(([id, bytes]) => [id, Buffer.from(bytes)]));

describe('encodeManifest', () => {
  it('writes bounded blocks, all files in order', () => {
    const dataFiles = Array.from({ length: 1000 }, (_, n) => dataFile(String(n)));
    const bytes = encodeManifest({
      formatVersion: 2,
      snapshotId: 1n,
      schema: javaSchema,
      spec: javaSpecs.unpartitioned,
      partitionFields: [],
      dataFiles,
      sync,
    });
    expect(readContainer(bytes).blocks.map(({ recordCount }) => recordCount)).toEqual([256, 256, 256, 232]);
    const paths = [...readManifestEntries(bytes, 'm.avro')].map(({ filePath }) => filePath);
    expect(paths).toEqual(dataFiles.map(({ filePath }) => filePath));
  });
});

describe('readManifestEntries', () => {
  it('refuses a manifest cut anywhere but after its header', () => {
    const whole = encode(2, 'unpartitioned');
    const headerEnd = whole.indexOf(sync) + sync.length;
    for (let length = 0; length < whole.length; length += 1) {
      if (length === headerEnd) continue;
      const read = () => [...readManifestEntries(whole.subarray(0, length), 's3://b/m.avro')];
      expect(read, `cut at ${length}`).toThrow(/Cannot read manifest "s3:\/\/b\/m.avro"/);
    }
  });
});
