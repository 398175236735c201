import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readVectors } from '../../lib/append/manifest.ts';
import { rewriteManifest } from '../../lib/append/rewrite-manifest.ts';
import { decodeAvro } from './avro-oracle.ts';
import { SNAPSHOT_ID } from './java-inputs.ts';
import { listedManifest } from './table.ts';

const SECOND = 's3://bucket/key 1%20ü.parquet';
const UUID = '7f3b2c1d-0000-4000-8000-000000000000';

type Row = Record<string, unknown> & { readonly data_file: Record<string, unknown> };

const golden = (version: number, kind: string): Buffer =>
  readFileSync(new URL(`files/v${version}-${kind}-manifest.avro`, import.meta.url));

function rewritten(bytes: Buffer, formatVersion: 1 | 2 | 3, manifest = listedManifest()) {
  return rewriteManifest({
    manifest,
    bytes,
    formatVersion,
    removes: ({ filePath }) => filePath === SECOND,
    snapshotId: 99n,
    path: 's3://bucket/metadata/new-m0.avro',
    uuid: UUID,
  });
}

describe.each([1, 2, 3] as const)("rewriteManifest of Java's manifests of format version %i", (version) => {
  describe.each(['unpartitioned', 'partitioned'] as const)('of an %s table', (kind) => {
    const bytes = golden(version, kind);
    const manifest = listedManifest(version === 3 ? { firstRowId: 100n } : {});

    it('marks one file as deleted and keeps everything else of both, byte for byte (C26)', async () => {
      const before = await decodeAvro(bytes);
      const after = await decodeAvro(rewritten(bytes, version, manifest).bytes);
      expect(after.schema).toEqual(before.schema);
      const changes = [
        { status: 0, snapshot_id: SNAPSHOT_ID },
        { status: 2, snapshot_id: 99n },
      ];
      const sequence = version === 1 ? {} : { sequence_number: 5n, file_sequence_number: 5n };
      expect(after.rows).toEqual(
        (before.rows as readonly Row[]).map((row, at) => ({
          ...row,
          ...changes[at],
          ...sequence,
          data_file: {
            ...row.data_file,
            // The rows of the first file come first: 10 of them.
            ...(version === 3 && { first_row_id: at === 0 ? 100n : 110n }),
          },
        })),
      );
    });

    it('keeps the header, and has the right counts in the list', async () => {
      const { bytes: made, file, removed } = rewritten(bytes, version, manifest);
      const header = ({ 'avro.codec': _codec, ...rest }: Readonly<Record<string, string>>) => rest;
      expect(header((await decodeAvro(made)).metadata)).toEqual(header((await decodeAvro(bytes)).metadata));
      expect(removed).toEqual([{ recordCount: 11n, fileSizeInBytes: 123457n }]);
      expect(file).toMatchObject({
        manifestPath: 's3://bucket/metadata/new-m0.avro',
        manifestLength: BigInt(made.length),
        addedSnapshotId: 99n,
        addedFilesCount: 0,
        existingFilesCount: 1,
        deletedFilesCount: 1,
        existingRowsCount: 10n,
        deletedRowsCount: 11n,
      });
    });
  });
});

it.each([2, 3] as const)('refuses a manifest of an older version in a table of version %i', (version) => {
  const older = golden(version - 1, 'unpartitioned');
  expect(() => rewritten(older, version)).toThrow(/rewrite_manifests/);
});

it("marks one of a Puffin file's deletion vectors as deleted, and its other entries stay", async () => {
  const bytes = readFileSync(new URL('files/v3-vectors-manifest.avro', import.meta.url));
  expect([...readVectors(bytes, 'm.avro')]).toEqual(['s3://bucket/key 0%20ü.parquet', SECOND]);
  const { removed, file, ...made } = rewriteManifest({
    manifest: listedManifest({ content: 1 }),
    bytes,
    formatVersion: 3,
    removes: ({ vectorOf }) => vectorOf === SECOND,
    snapshotId: 99n,
    path: 's3://bucket/metadata/new-m0.avro',
    uuid: UUID,
  });
  expect(removed).toEqual([{ vectorOf: SECOND, recordCount: 4n, fileSizeInBytes: 41n }]);
  expect(file).toMatchObject({ content: 1, existingFilesCount: 2, deletedFilesCount: 1 });
  const changes = [
    { status: 0, snapshot_id: SNAPSHOT_ID },
    { status: 2, snapshot_id: 99n },
    { status: 0, snapshot_id: SNAPSHOT_ID },
  ];
  expect((await decodeAvro(made.bytes)).rows).toEqual(
    (await decodeAvro(bytes)).rows.map((row, at) => ({
      ...(row as Row),
      ...changes[at],
      sequence_number: 5n,
      file_sequence_number: 5n,
    })),
  );
  expect([...readVectors(made.bytes, 'm.avro')]).toEqual(['s3://bucket/key 0%20ü.parquet']);
});
