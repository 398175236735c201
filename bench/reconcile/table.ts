/** A table of a million live files as files on a disk, for `reconcile.ts`: `table.ts DIRECTORY OBJECTS`. */
import { writeFileSync } from 'node:fs';
import { encodeManifest } from '../../lib/append/manifest.ts';
import { encodeManifestList, extendManifestList } from '../../lib/append/manifest-list.ts';
import type { Schema } from '../../lib/spec/schema.ts';
import { isMissing, uriOf } from './objects.ts';

const [, , directory = '.', count = '0'] = process.argv;
const OBJECTS = Number(count);
const FILES_OF_A_MANIFEST = 10_000;
const schema: Schema = {
  type: 'struct',
  'schema-id': 0,
  fields: [{ id: 1, name: 'id', required: true, type: 'int' }],
};

function manifestBytes(from: number): Uint8Array {
  const ats = Array.from({ length: Math.min(FILES_OF_A_MANIFEST, OBJECTS - from) }, (_, i) => from + i);
  return encodeManifest({
    formatVersion: 2,
    snapshotId: 1n,
    schema,
    spec: { 'spec-id': 0, fields: [] },
    partitionFields: [],
    dataFiles: ats
      .filter((at) => !isMissing(at))
      .map((at) => ({
        filePath: uriOf(at),
        fileSizeInBytes: BigInt(at + 1),
        specId: 0,
        partition: [],
        recordCount: 1000n,
        columnSizes: new Map([[1, 400n]]),
        valueCounts: new Map([[1, 1000n]]),
        nullValueCounts: new Map([[1, 0n]]),
        lowerBounds: new Map([[1, new Uint8Array(4)]]),
        upperBounds: new Map([[1, new Uint8Array(4)]]),
        splitOffsets: [4n],
      })),
    sync: new Uint8Array(16),
  });
}

function listBytes(): Uint8Array {
  const starts = Array.from(
    { length: Math.ceil(OBJECTS / FILES_OF_A_MANIFEST) },
    (_, i) => i * FILES_OF_A_MANIFEST,
  );
  const { list } = extendManifestList({
    path: 'list',
    formatVersion: 2,
    parent: undefined,
    nextRowId: 0n,
    added: starts.map((from) => ({
      manifestPath: `manifest-${from}`,
      manifestLength: 1n,
      partitionSpecId: 0,
      content: 0,
      sequenceNumber: 1n,
      minSequenceNumber: 1n,
      addedSnapshotId: 1n,
      addedFilesCount: FILES_OF_A_MANIFEST,
      existingFilesCount: 0,
      deletedFilesCount: 0,
      addedRowsCount: 1n,
      existingRowsCount: 0n,
      deletedRowsCount: 0n,
      partitions: undefined,
    })),
  });
  const snapshot = {
    'snapshot-id': 1n,
    'sequence-number': 1n,
    'timestamp-ms': 1n,
    'manifest-list': 'list',
    summary: {},
    'schema-id': 0,
  };
  return encodeManifestList(list, {
    formatVersion: 2,
    snapshot,
    uuid: '7f3b2c1d-0000-4000-8000-000000000000',
  });
}

for (let from = 0; from < OBJECTS; from += FILES_OF_A_MANIFEST) {
  writeFileSync(`${directory}/manifest-${from}`, manifestBytes(from));
}
writeFileSync(`${directory}/list`, listBytes());
