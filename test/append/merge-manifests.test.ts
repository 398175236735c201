import { readFileSync } from 'node:fs';
import zlib from 'node:zlib';
import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import {
  packBlocks,
  readContainer,
  recordsRead,
  shapeOf,
  writeContainer,
} from '../../lib/append/avro/object-container.ts';
import { type FieldValues, recordEditor } from '../../lib/append/avro/record-editor.ts';
import { entryReader } from '../../lib/append/explicit-entries.ts';
import type { ListedManifest } from '../../lib/append/manifest-file-type.ts';
import { type MergeSource, mergeManifests } from '../../lib/append/merge-manifests.ts';
import { prepareAppend } from '../../lib/append/prepare.ts';
import { rewriteManifest } from '../../lib/append/rewrite-manifest.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { decodeAvro } from './avro-oracle.ts';
import { javaDataFiles, javaSchema, javaSpecs, SNAPSHOT_ID } from './java-inputs.ts';
import { dataFile, emptyTable, listedManifest } from './table.ts';

const UUID = '7f3b2c1d-0000-4000-8000-000000000000';
const MERGED = '11111111-0000-4000-8000-000000000000';

type Version = 1 | 2 | 3;
type Kind = 'unpartitioned' | 'partitioned';
type Row = Record<string, unknown> & { readonly data_file: Record<string, unknown> };

const golden = (version: number, kind: Kind): Buffer =>
  readFileSync(new URL(`files/v${version}-${kind}-manifest.avro`, import.meta.url));

/** A manifest that this project wrote in snapshot 77 with sequence number 9. */
function ours(version: Version, kind: Kind, overrides: Partial<ListedManifest> = {}): MergeSource {
  const [manifest] = prepareAppend({
    state: emptyTable(version),
    schema: javaSchema,
    dataFiles: javaDataFiles(kind),
    snapshotId: 77n,
    uuid: UUID,
  }).manifests;
  if (manifest === undefined) throw new Error('no manifest');
  const file = { ...manifest.file, sequenceNumber: 9n, minSequenceNumber: 9n, ...overrides };
  return { manifest: file, bytes: manifest.bytes };
}

function merge(version: Version, kind: Kind, sources: readonly MergeSource[]) {
  return mergeManifests({
    sources,
    formatVersion: version,
    schema: javaSchema,
    spec: javaSpecs[kind],
    directory: 's3://bucket/metadata',
    uuid: MERGED,
  });
}

/** The same entries from a writer that has the fields in reverse order, null as the second type of a union, and `record_count` optional. */
function inAnotherOrder(bytes: Uint8Array): Uint8Array {
  const container = readContainer(bytes);
  const reversed = (type: unknown): unknown => {
    if (Array.isArray(type)) return type.map(reversed).toReversed();
    if (typeof type !== 'object' || type === null) return type;
    const { fields, ...rest } = type as {
      readonly fields?: readonly { readonly name: string; readonly type: unknown; readonly default?: null }[];
    };
    if (fields === undefined || 'key' in rest) return type;
    return {
      ...rest,
      fields: fields
        .map(({ type: held, default: _null, ...field }) => ({
          ...field,
          type: field.name === 'record_count' ? [held, 'null'] : reversed(held),
        }))
        .toReversed(),
    };
  };
  const schema = reversed(JSON.parse(container.schema));
  const [from, to] = [container.schema, JSON.stringify(schema)].map((text) =>
    avro.Type.forSchema(JSON.parse(text), { wrapUnions: false }),
  );
  const encoded = container.blocks.flatMap(({ recordCount, bytes: block }) => {
    const inflated = zlib.inflateRawSync(block);
    const records: Buffer[] = [];
    for (let count = 0, at = 0; count < recordCount; count += 1) {
      const { value, offset } = from?.decode(inflated, at) ?? { value: undefined, offset: -1 };
      records.push(to?.toBuffer(value) ?? Buffer.alloc(0));
      at = offset;
    }
    return records;
  });
  return writeContainer(
    { schema: JSON.stringify(schema), codec: container.codec, blocks: packBlocks(encoded) },
    {},
    Buffer.alloc(16),
  );
}

/** The same entries with other values in these fields. */
function withValues(bytes: Uint8Array, values: FieldValues): Uint8Array {
  const container = readContainer(bytes);
  const shape = shapeOf(container);
  const edit = recordEditor(shape);
  const edited = [...recordsRead(container, entryReader(shape))].map(({ record }) => edit(record, values));
  return writeContainer({ ...container, blocks: packBlocks(edited) }, {}, Buffer.alloc(16));
}

async function rowsOf(bytes: Uint8Array): Promise<readonly Row[]> {
  return (await decodeAvro(bytes)).rows as readonly Row[];
}

describe.each([1, 2, 3] as const)('mergeManifests of format version %i', (version) => {
  describe.each(['unpartitioned', 'partitioned'] as const)('of an %s table', (kind) => {
    const firstRowIds = version === 3;
    const partitions = ours(version, kind).manifest.partitions;
    const java: MergeSource = {
      manifest: listedManifest({ partitions, ...(firstRowIds && { firstRowId: 100n }) }),
      bytes: golden(version, kind),
    };
    const own = ours(version, kind, firstRowIds ? { firstRowId: 500n } : {});

    it("turns Java's entries and ours into existing entries with explicit snapshot and sequence numbers, and changes nothing else (C26)", async () => {
      const { merged, unmerged } = merge(version, kind, [own, java]);
      expect(unmerged).toEqual([]);
      const existing = (rows: readonly Row[], snapshot_id: bigint, number: bigint, rowId: bigint) =>
        rows.map((row, at) => ({
          ...row,
          status: 0,
          snapshot_id,
          ...(version > 1 && { sequence_number: number, file_sequence_number: number }),
          // The rows of the first file come first: 10 of them.
          data_file: {
            ...row.data_file,
            ...(firstRowIds && { first_row_id: at === 0 ? rowId : rowId + 10n }),
          },
        }));
      expect(await rowsOf(merged?.bytes ?? Buffer.alloc(0))).toEqual([
        ...existing(await rowsOf(own.bytes), 77n, 9n, 500n),
        ...existing(await rowsOf(java.bytes), SNAPSHOT_ID, 5n, 100n),
      ]);
    });

    it('has the schema and header of a new manifest, and the right counts in the list', async () => {
      const { merged } = merge(version, kind, [own, java]);
      const written = await decodeAvro(merged?.bytes ?? Buffer.alloc(0));
      expect(written.schema).toEqual((await decodeAvro(own.bytes)).schema);
      expect(written.metadata).toMatchObject({
        'partition-spec-id': String(javaSpecs[kind]['spec-id']),
        'format-version': String(version),
      });
      expect(merged?.replaces).toEqual([own.manifest, java.manifest]);
      expect(merged?.file).toEqual({
        manifestPath: `s3://bucket/metadata/${MERGED}-m0.avro`,
        manifestLength: BigInt(merged?.bytes.length ?? 0),
        partitionSpecId: javaSpecs[kind]['spec-id'],
        content: 0,
        sequenceNumber: 0n,
        minSequenceNumber: 5n,
        addedSnapshotId: 0n,
        addedFilesCount: 0,
        existingFilesCount: 4,
        deletedFilesCount: 0,
        addedRowsCount: 0n,
        existingRowsCount: 42n,
        deletedRowsCount: 0n,
        partitions,
      });
    });
  });
});

describe('mergeManifests', () => {
  it.each([2, 3] as const)(
    'takes entries of the version before into version %i: no row is older for it (C18)',
    async (version) => {
      const older = version === 3 ? 2 : 1;
      const before: MergeSource = {
        manifest: listedManifest(older === 1 ? { sequenceNumber: 0n, minSequenceNumber: 0n } : {}),
        bytes: golden(older, 'unpartitioned'),
      };
      const { merged } = merge(version, 'unpartitioned', [ours(version, 'unpartitioned'), before]);
      const [, , row] = await rowsOf(merged?.bytes ?? Buffer.alloc(0));
      const number = older === 1 ? 0n : 5n;
      expect(row).toMatchObject({ status: 0, sequence_number: number, file_sequence_number: number });
      const { block_size_in_bytes: _gone, ...file } = (await rowsOf(before.bytes))[0]?.data_file ?? {};
      expect(row?.data_file).toMatchObject({
        ...file,
        content: 0,
        ...(version === 3 && { first_row_id: null }),
      });
      expect(merged?.file.minSequenceNumber).toBe(number);
    },
  );

  it('merges a merged manifest: explicit values stay', async () => {
    const once = merge(2, 'unpartitioned', [
      ours(2, 'unpartitioned'),
      { manifest: listedManifest(), bytes: golden(2, 'unpartitioned') },
    ]);
    if (once.merged === undefined) throw new Error('not merged');
    const { file, bytes } = once.merged;
    const again = { manifest: { ...file, sequenceNumber: 40n, addedSnapshotId: 400n }, bytes };
    const twice = merge(2, 'unpartitioned', [again, ours(2, 'unpartitioned', { sequenceNumber: 41n })]);
    const rows = await rowsOf(twice.merged?.bytes ?? Buffer.alloc(0));
    expect(rows.slice(0, 4)).toEqual(await rowsOf(bytes));
    expect(rows[4]).toMatchObject({ sequence_number: 41n });
  });

  it('drops deleted entries, which are history', async () => {
    const source = ours(2, 'unpartitioned');
    const deleting = rewriteManifest({
      ...source,
      formatVersion: 2,
      removes: ({ filePath }) => filePath.includes('key 0'),
      snapshotId: 99n,
      path: 's3://bucket/metadata/rewritten.avro',
      uuid: UUID,
    });
    const rewritten = { manifest: deleting.file, bytes: deleting.bytes };
    const { merged } = merge(2, 'unpartitioned', [rewritten, source]);
    const paths = (await rowsOf(merged?.bytes ?? Buffer.alloc(0))).map(
      ({ data_file }) => data_file['file_path'],
    );
    expect(paths.map((path) => /key \d/.exec(String(path))?.[0])).toEqual(['key 1', 'key 0', 'key 1']);
    expect(merged?.file).toMatchObject({ existingFilesCount: 3, deletedFilesCount: 0 });
  });

  it('finds fields by ID if another writer has them in another order, in other unions, or not at all (C18)', async () => {
    const source = ours(2, 'partitioned');
    const theirs = inAnotherOrder(source.bytes);
    const { merged, unmerged } = merge(2, 'partitioned', [{ ...source, bytes: theirs }, source]);
    expect(unmerged).toEqual([]);
    const rows = await rowsOf(merged?.bytes ?? Buffer.alloc(0));
    expect(rows).toHaveLength(4);
    expect(rows.slice(0, 2)).toEqual(rows.slice(2));
  });

  it('keeps a manifest with an unknown field as it is, and merges the others', () => {
    const source = ours(2, 'unpartitioned');
    const container = readContainer(source.bytes);
    const schema = JSON.parse(container.schema);
    schema.fields.at(-1).type.fields.push({ name: 'of_a_later_version', type: 'null', 'field-id': 9999 });
    const unknown: MergeSource = {
      manifest: listedManifest({ manifestPath: 's3://bucket/metadata/later.avro' }),
      bytes: writeContainer({ ...container, schema: JSON.stringify(schema) }, {}, Buffer.alloc(16)),
    };
    const { merged, unmerged } = merge(2, 'unpartitioned', [source, unknown, source]);
    expect(merged?.replaces).toEqual([source.manifest, source.manifest]);
    expect(unmerged.map(({ manifest }) => manifest)).toEqual([unknown.manifest]);
    expect(unmerged[0]?.error.message).toBe(
      'Cannot merge manifest "s3://bucket/metadata/later.avro": field "of_a_later_version" with ID 9999 has no place in the manifest to be written',
    );
  });

  it('never lets an existing entry inherit the sequence number of its manifest: old writers left out the file sequence number (C12)', async () => {
    const source = ours(2, 'unpartitioned');
    const existing = (sequenceNumber: bigint | null): MergeSource => ({
      manifest: { ...source.manifest, manifestPath: `s3://bucket/metadata/${sequenceNumber}.avro` },
      bytes: withValues(
        source.bytes,
        new Map([
          [0, 0n],
          [3, sequenceNumber],
          [4, null],
        ]),
      ),
    });
    const { merged, unmerged } = merge(2, 'unpartitioned', [source, existing(3n), existing(null)]);
    const rows = await rowsOf(merged?.bytes ?? Buffer.alloc(0));
    expect(
      rows.map(({ sequence_number, file_sequence_number }) => [sequence_number, file_sequence_number]),
    ).toEqual([
      [9n, 9n],
      [9n, 9n],
      [3n, null],
      [3n, null],
    ]);
    expect(unmerged.map(({ error }) => error.message)).toEqual([
      expect.stringMatching(/metadata\/null\.avro".*exists without a sequence number/),
    ]);
  });

  it('widens partition values with the type of their column, unless their bytes would differ', async () => {
    const partitionedBy = (id: number) => ({
      'spec-id': 1,
      fields: [{ 'source-id': id, 'field-id': 1000, name: 'p', transform: 'identity' }],
    });
    const promoted: Schema = {
      ...javaSchema,
      fields: javaSchema.fields.map((field) =>
        field.id === 3 || field.id === 4 ? { ...field, type: field.id === 3 ? 'long' : 'double' } : field,
      ),
    };
    const [ints, floats] = [3, 4].map((id) => {
      const spec = partitionedBy(id);
      const source = { manifest: listedManifest({ partitions: undefined }), bytes: manifestOfOne(spec) };
      return mergeManifests({
        sources: [source, source],
        formatVersion: 2,
        schema: promoted,
        spec,
        directory: 's3://bucket/metadata',
        uuid: MERGED,
      });
    });
    const rows = await rowsOf(ints?.merged?.bytes ?? Buffer.alloc(0));
    expect(rows.map(({ data_file }) => data_file['partition'])).toEqual([{ p: 1n }, { p: 1n }]);
    expect(floats?.merged).toBeUndefined();
    expect(floats?.unmerged[0]?.error.message).toMatch(/a value of union cannot be written as union/);
  });

  it('keeps a truncated manifest as it is', () => {
    const source = ours(2, 'unpartitioned');
    const cut = { manifest: listedManifest(), bytes: source.bytes.subarray(0, source.bytes.length - 1) };
    const { merged, unmerged } = merge(2, 'unpartitioned', [source, cut]);
    expect(merged).toBeUndefined();
    expect(unmerged).toHaveLength(1);
  });

  it('packs all of many entries into blocks', async () => {
    const sources = Array.from({ length: 600 }, (_, n): MergeSource => {
      const [manifest] = prepareAppend({
        state: emptyTable(2),
        schema: javaSchema,
        dataFiles: [dataFile(String(n))],
        snapshotId: BigInt(n),
        uuid: UUID,
      }).manifests;
      if (manifest === undefined) throw new Error('no manifest');
      return { manifest: { ...manifest.file, sequenceNumber: BigInt(n) }, bytes: manifest.bytes };
    });
    const { merged } = merge(2, 'unpartitioned', sources);
    const bytes = merged?.bytes ?? Buffer.alloc(0);
    expect(readContainer(bytes).blocks.map(({ recordCount }) => recordCount)).toEqual([256, 256, 88]);
    const rows = await rowsOf(bytes);
    expect(rows.map(({ snapshot_id, sequence_number }) => [snapshot_id, sequence_number])).toEqual(
      sources.map((_, n) => [BigInt(n), BigInt(n)]),
    );
  });

  it('combines the partition summaries; if one writer left them out, there are none', () => {
    const summary = (low: number, high: number, containsNan: boolean | undefined = false) => ({
      containsNull: low === 0,
      containsNan,
      lowerBound: Buffer.from(Int32Array.of(low).buffer),
      upperBound: Buffer.from(Int32Array.of(high).buffer),
    });
    const spec = {
      'spec-id': 1,
      fields: [{ 'source-id': 3, 'field-id': 1000, name: 'i', transform: 'identity' }],
    };
    const mergeOf = (...partitions: ListedManifest['partitions'][]) =>
      mergeManifests({
        sources: partitions.map((one) => ({
          manifest: listedManifest({ partitions: one }),
          bytes: manifestOfOne(spec),
        })),
        formatVersion: 2,
        schema: javaSchema,
        spec,
        directory: 's3://bucket/metadata',
        uuid: MERGED,
      }).merged?.file.partitions;
    for (const inOrder of [
      [summary(-5, 3), summary(0, 9)],
      [summary(0, 9), summary(-5, 3)],
    ]) {
      expect(mergeOf(...inOrder.map((one) => [one]))).toEqual([{ ...summary(-5, 9), containsNull: true }]);
    }
    expect(
      mergeOf([summary(1, 3)], [{ ...summary(2, 9), containsNan: undefined }])?.[0]?.containsNan,
    ).toBeUndefined();
    expect(mergeOf([summary(1, 3)], undefined)).toBeUndefined();
  });

  /** A manifest of one file in partition 1. */
  function manifestOfOne(spec: (typeof javaSpecs)['partitioned']): Uint8Array {
    const state = { ...emptyTable(2), specs: [spec] };
    const file = { ...dataFile('a'), specId: 1, partition: [Buffer.from(Int32Array.of(1).buffer)] };
    const { manifests } = prepareAppend({
      state,
      schema: javaSchema,
      dataFiles: [file],
      snapshotId: 1n,
      uuid: UUID,
    });
    return manifests[0]?.bytes ?? Buffer.alloc(0);
  }
});

it.each([0, 3, 16])(
  'leaves a manifest in the list whose bound has %i bytes, which no number has',
  (length) => {
    const [odd, ...others] = [ours(2, 'partitioned'), ours(2, 'partitioned'), ours(2, 'partitioned')];
    const fields = odd?.manifest.partitions ?? [];
    const at = fields.findIndex(({ lowerBound }) => lowerBound?.length === 4);
    const partitions = fields.map((field, index) =>
      index === at ? { ...field, upperBound: new Uint8Array(length) } : field,
    );
    const wrong = {
      manifest: { ...odd?.manifest, partitions } as ListedManifest,
      bytes: odd?.bytes ?? Buffer.of(),
    };
    const { merged, unmerged } = merge(2, 'partitioned', [wrong, ...others]);
    expect(at).toBeGreaterThanOrEqual(0);
    expect(unmerged.map(({ error }) => error.message)).toEqual([
      expect.stringContaining(`has ${length} bytes, which is no`),
    ]);
    expect(merged?.replaces).toHaveLength(2);
  },
);
