import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContainer, writeContainer } from '../../lib/append/avro/object-container.ts';
import {
  encodeManifestList,
  extendManifestList,
  type ManifestList,
  manifestFiles,
  readManifestList,
} from '../../lib/append/manifest-list.ts';
import { prepareAppend } from '../../lib/append/prepare.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { decodeAvro, withoutDocs } from './avro-oracle.ts';
import { javaDataFiles, javaSchema, SNAPSHOT_ID } from './java-inputs.ts';
import { dataFile, emptyTable } from './table.ts';

const UUID = '0f9c2f8e-5f0e-4c5e-9d8e-3a1f6f1d2c3b';
const golden = (name: string): Buffer => readFileSync(new URL(`files/${name}`, import.meta.url));

/** The list after the n-th append of one manifest with one file, which follows `parent`. */
function extend(
  formatVersion: 1 | 2 | 3,
  parent: ManifestList | undefined,
  n: number,
  nextRowId = 0n,
): ReturnType<typeof extendManifestList> {
  const prepared = prepareAppend({
    state: emptyTable(formatVersion),
    schema: javaSchema,
    dataFiles: [dataFile(String(n))],
    snapshotId: BigInt(n),
    uuid: UUID,
  });
  return extendManifestList({
    path: `s3://bucket/table/metadata/snap-${n}.avro`,
    formatVersion,
    parent,
    added: prepared.manifests.map(({ file }) => ({
      ...file,
      sequenceNumber: BigInt(n),
      minSequenceNumber: BigInt(n),
    })),
    nextRowId,
  });
}

function encode(list: ManifestList, formatVersion: 1 | 2 | 3, parent?: bigint): Buffer {
  return encodeManifestList(list, {
    formatVersion,
    uuid: UUID,
    snapshot: {
      'snapshot-id': SNAPSHOT_ID,
      ...(parent !== undefined && { 'parent-snapshot-id': parent }),
      'sequence-number': formatVersion === 1 ? 0n : 4n,
      'timestamp-ms': 0n,
      'manifest-list': list.path,
      summary: {},
      'schema-id': 0,
      'first-row-id': 1000n,
    },
  });
}

describe.each([1, 2, 3] as const)('a manifest list of format version %i', (formatVersion) => {
  it.each(['unpartitioned', 'partitioned'] as const)(
    'of an %s table has the schema, the header and the rows of Java, partition summaries among them (C1, C11, C12, B26)',
    async (kind) => {
      const java = await decodeAvro(golden(`v${formatVersion}-${kind}-manifest-list.avro`));
      const prepared = prepareAppend({
        state: emptyTable(formatVersion),
        schema: javaSchema,
        dataFiles: javaDataFiles(kind),
        snapshotId: SNAPSHOT_ID,
        uuid: UUID,
      });
      const { list } = extendManifestList({
        path: 's3://bucket/l.avro',
        formatVersion,
        parent: undefined,
        added: prepared.manifests.map(({ file }) => ({ ...file, sequenceNumber: 4n, minSequenceNumber: 4n })),
        nextRowId: 1000n,
      });
      const ours = await decodeAvro(encode(list, formatVersion, kind === 'partitioned' ? 77n : undefined));

      expect(ours.schema).toEqual(withoutDocs(java.schema));
      const { 'avro.schema': _schema, 'iceberg.schema': _java, ...header } = java.metadata;
      expect(ours.metadata).toMatchObject(header);
      const [manifest] = prepared.manifests;
      const changed = { manifest_path: manifest?.path, manifest_length: BigInt(manifest?.bytes.length ?? 0) };
      expect(ours.rows).toEqual(java.rows.map((row) => ({ ...(row as object), ...changed })));
    },
  );

  it('reads back what Java wrote and what this project wrote', () => {
    const name = `v${formatVersion}-partitioned-manifest-list.avro`;
    const theirs = readManifestList(golden(name), 's3://bucket/theirs.avro');
    const { list: ours } = extendManifestList({
      path: 's3://bucket/ours.avro',
      formatVersion,
      parent: theirs,
      added: [],
      nextRowId: 0n,
    });
    expect(manifestFiles(theirs)).toHaveLength(1);
    expect(manifestFiles(readManifestList(encode(ours, formatVersion), ours.path))).toEqual(
      manifestFiles(theirs),
    );
  });

  it('lists the new entry first and keeps every inherited entry, however many appends came before', () => {
    let list: ManifestList | undefined;
    for (let n = 1; n <= 600; n += 1) ({ list } = extend(formatVersion, list, n));
    const read = readManifestList(encode(list as ManifestList, formatVersion), 's3://bucket/l.avro');
    expect(manifestFiles(read).map(({ addedSnapshotId }) => addedSnapshotId)).toEqual(
      Array.from({ length: 600 }, (_, index) => BigInt(600 - index)),
    );
    expect(read.blocks.map(({ recordCount }) => recordCount)).toEqual([
      ...Array.from({ length: 8 }, () => 1),
      ...Array.from({ length: 5 }, () => 16),
      ...[256, 256],
    ]);
  });
});

describe('extendManifestList', () => {
  it('copies the encoded blocks of a list that the registrar wrote, and joins sixteen small blocks', () => {
    let list: ManifestList | undefined;
    for (let n = 1; n <= 302; n += 1) ({ list } = extend(2, list, n));
    const parent = readManifestList(encode(list as ManifestList, 2), 's3://bucket/l.avro');
    expect(parent.blocks.map(({ recordCount }) => recordCount)).toEqual([...Array(14).fill(1), 16, 16, 256]);

    const { list: next } = extend(2, parent, 303);
    expect(next.blocks).toHaveLength(parent.blocks.length + 1);
    for (const [at, block] of parent.blocks.entries()) expect(next.blocks[at + 1]).toBe(block);

    const { list: joined } = extend(2, next, 304);
    expect(joined.blocks.map(({ recordCount }) => recordCount)).toEqual([16, 16, 16, 256]);
    expect(joined.blocks[1]).toBe(parent.blocks[14]);
  });

  it('never exceeds the records of a block, and never joins large blocks', () => {
    const sizes = (list: ManifestList | undefined) =>
      list?.blocks.map(({ recordCount }) => recordCount) ?? [];
    const [manifest] = manifestFiles(extend(2, undefined, 1).list);
    let list: ManifestList | undefined;
    for (let n = 0; n < 60; n += 1) {
      const added = Array(1 + ((n * 37) % 90)).fill(manifest);
      const path = `s3://bucket/l-${n}.avro`;
      ({ list } = extendManifestList({ path, formatVersion: 2, parent: list, added, nextRowId: 0n }));
      expect(Math.max(...sizes(list))).toBeLessThanOrEqual(256);
    }
    expect(sizes(list).length).toBeLessThan(40);
  });

  it.each(['null', 'zstandard', 'snappy'])('rewrites a list in codec %s as deflate (C17)', (codec) => {
    const parent = readManifestList(golden(`manifest-list-${codec}.avro`), 's3://b/l.avro');
    expect(parent.codec).toBe(codec);
    const { list } = extend(2, parent, 1);
    expect(list.codec).toBe('deflate');
    const inherited = manifestFiles(readManifestList(encode(list, 2), 's3://b/l.avro')).slice(1);
    expect(inherited).toHaveLength(40);
    expect(inherited).toEqual(
      manifestFiles(readManifestList(golden('manifest-list-deflate.avro'), 's3://b/d.avro')),
    );
  });

  it('takes v1 entries into a v2 list with sequence numbers and content 0 (C18)', () => {
    const v1 = readManifestList(golden('v1-unpartitioned-manifest-list.avro'), 's3://b/l.avro');
    const [, inherited] = manifestFiles(extend(2, v1, 7).list);
    expect(inherited).toMatchObject({
      sequenceNumber: 0n,
      minSequenceNumber: 0n,
      content: 0,
      addedFilesCount: 2,
    });
  });

  it('refuses to invent the counts that a v1 writer left out (C11)', () => {
    const v1 = extendManifestList({
      path: 's3://b/l.avro',
      formatVersion: 1,
      parent: undefined,
      added: manifestFiles(extend(1, undefined, 1).list).map((file) => ({
        ...file,
        addedFilesCount: undefined,
      })),
      nextRowId: 0n,
    });
    expect(manifestFiles(extend(1, v1.list, 2).list)[1]?.addedFilesCount).toBeUndefined();
    expect(() => extend(2, v1.list, 2)).toThrow(/left out file and row counts/);
  });

  it('gives row IDs only to inherited data manifests that have none (C13)', () => {
    const first = extend(2, undefined, 1);
    const deletes = manifestFiles(first.list).map((file) => ({
      ...file,
      content: 1 as const,
      manifestPath: 's3://d',
    }));
    const upgraded = extendManifestList({
      path: 's3://b/2.avro',
      formatVersion: 2,
      parent: first.list,
      added: deletes,
      nextRowId: 0n,
    });
    const third = extend(3, upgraded.list, 3, 100n);
    expect(manifestFiles(third.list).map(({ firstRowId }) => firstRowId)).toEqual([100n, undefined, 110n]);
    expect(third.nextRowId).toBe(120n);

    const fourth = extend(3, third.list, 4, third.nextRowId);
    expect(manifestFiles(fourth.list).map(({ firstRowId }) => firstRowId)).toEqual([
      120n,
      100n,
      undefined,
      110n,
    ]);
    expect(fourth.nextRowId).toBe(130n);
  });
});

describe('readManifestList', () => {
  it('finds fields by ID, whatever their names (C18, C25)', async () => {
    const java = golden('v2-partitioned-manifest-list.avro');
    const container = readContainer(java);
    const schema = container.schema
      .replace('"added_files_count"', '"added_data_files_count"')
      .replace('"manifest_path"', '"_x2E"');
    const renamed = readManifestList(
      writeContainer({ ...container, schema }, {}, Buffer.alloc(16)),
      's3://b/l.avro',
    );
    expect(manifestFiles(renamed)).toEqual(manifestFiles(readManifestList(java, 's3://b/l.avro')));
  });

  it('reads a file without avro.codec as uncompressed (C24)', () => {
    const bytes = golden('manifest-list-null.avro');
    const named = Buffer.from('avro.codec');
    bytes.write('avro.kodak', bytes.indexOf(named));
    expect(manifestFiles(readManifestList(bytes, 's3://b/l.avro'))).toHaveLength(40);
  });

  it.each([
    ['another codec', (list: ManifestList) => ({ ...list, codec: 'bzip2' }), /its codec is "bzip2"/],
    ['too few records', (list: ManifestList) => withCount(list, 0), /bytes follow the 0 records/],
    ['too many records', (list: ManifestList) => withCount(list, 2), /at byte/],
    [
      'no field IDs',
      (list: ManifestList) => ({ ...list, schema: list.schema.replaceAll('field-id', 'id') }),
      /lacks field 500/,
    ],
    ['no JSON', (list: ManifestList) => ({ ...list, schema: '{' }), /JSON/],
  ])('refuses a list with %s', (_what, change, message) => {
    const list = readManifestList(golden('v2-unpartitioned-manifest-list.avro'), 's3://b/l.avro');
    expect(() => manifestFiles(change(list))).toThrow(message);
    expect(() => manifestFiles(change(list))).toThrow(expect.objectContaining({ code: 'table.unsupported' }));
  });

  it('refuses a block with another sync marker', () => {
    const bytes = golden('v2-unpartitioned-manifest-list.avro');
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    expect(() => readManifestList(bytes, 's3://b/l.avro')).toThrow(/block 1 does not end in the sync marker/);
  });
});

describe.each(['null', 'deflate', 'zstandard', 'snappy'])('a list in codec %s', (codec) => {
  const whole = golden(`manifest-list-${codec}.avro`);
  const read = (bytes: Uint8Array) => manifestFiles(readManifestList(bytes, 's3://b/l.avro'));

  it('is refused when it is truncated within a block', () => {
    const sync = Buffer.from('0123456789abcdef');
    for (let length = 0; length < whole.length; length += 7) {
      if (whole.subarray(0, length).toString('latin1').endsWith(sync.toString('latin1'))) continue;
      expect(() => read(whole.subarray(0, length)), `cut at ${length}`).toThrow(RegistrarError);
    }
  });

  it('is either read or refused with a typed error, whatever bytes are changed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        (changes) => {
          const bytes = Buffer.from(whole);
          for (const [at, value] of changes) bytes[at] = value;
          try {
            read(bytes);
          } catch (error) {
            expect(error).toMatchObject({ code: 'table.unsupported' });
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

function withCount(list: ManifestList, recordCount: number): ManifestList {
  return { ...list, blocks: list.blocks.map((block) => ({ ...block, recordCount })) };
}
