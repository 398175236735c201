import { messageOf, RegistrarError } from '../errors.ts';
import type { SnapshotUpdate } from '../spec/table-update.ts';
import {
  type AvroBlock,
  BLOCK_RECORDS,
  CODEC,
  encodeBlocks,
  joinBlocks,
  type ObjectContainer,
  readContainer,
  records,
  syncMarker,
  writeContainer,
} from './avro/object-container.ts';
import { rowReader } from './avro/row-reader.ts';
import {
  counted,
  type ListedManifest,
  listedManifest,
  MANIFEST_FILE_COLUMNS,
  MANIFEST_FILE_TYPES,
} from './manifest-file-type.ts';

/** A manifest list whose entries are still encoded. The next commit appends to it without decoding it. */
export interface ManifestList extends ObjectContainer {
  readonly path: string;
  /** The number of manifests from which it is worth decoding the list to look for manifests to merge, if known. */
  readonly lookForMergeAt?: number | undefined;
}

/** @throws `table.unsupported` if the bytes are not a complete Avro file */
export function readManifestList(bytes: Uint8Array, path: string): ManifestList {
  try {
    return { path, ...readContainer(bytes) };
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

export function manifestCount({ blocks }: ManifestList): number {
  return blocks.reduce((sum, { recordCount }) => sum + recordCount, 0);
}

/** The entries, in the order of the list. @throws `table.unsupported` if they cannot be read */
export function manifestFiles(list: ManifestList): readonly ListedManifest[] {
  try {
    return [...records(list, (shape) => rowReader(shape, MANIFEST_FILE_COLUMNS))].map(listedManifest);
  } catch (cause) {
    throw unreadable(list.path, cause);
  }
}

/**
 * The manifest list of the next snapshot: the new manifests, then all manifests of the parent, as in Java's fast append. The
 * encoded blocks of a parent that the registrar wrote are copied, so that the cost does not grow with the table. The list of
 * another writer is decoded and encoded again.
 *
 * @param options.merged replaces some of the parent's manifests, in which case the whole list is encoded again
 * @param options.nextRowId the table's next row ID, used in v3 only: data manifests without a first row ID are numbered from
 * it, including inherited ones after an upgrade (spec, "First Row ID Assignment"; cases.md C13)
 */
export function extendManifestList(options: {
  readonly path: string;
  readonly formatVersion: 1 | 2 | 3;
  readonly added: readonly ListedManifest[];
  readonly parent: ManifestList | undefined;
  readonly nextRowId: bigint;
  readonly merged?: MergedEntry | undefined;
  readonly lookForMergeAt?: number | undefined;
}): { readonly list: ManifestList; readonly nextRowId: bigint } {
  const { path, formatVersion, added, parent, merged, lookForMergeAt } = options;
  const type = MANIFEST_FILE_TYPES[formatVersion];
  const schema = JSON.stringify(type.schema);
  const isKept = merged === undefined && parent?.schema === schema && parent.codec === CODEC;
  const kept = isKept ? parent.blocks : undefined;
  const inherited = parent === undefined || isKept ? [] : manifestFiles(parent);
  const entries = [...added, ...(merged === undefined ? inherited : withMerged(inherited, merged))];

  let { nextRowId } = options;
  const numbered = entries.map((manifest) => {
    if (formatVersion < 3 || manifest.content !== 0 || manifest.firstRowId !== undefined) return manifest;
    const firstRowId = nextRowId;
    nextRowId += counted(manifest, manifest.addedRowsCount) + counted(manifest, manifest.existingRowsCount);
    return { ...manifest, firstRowId };
  });
  const blocks = joinSmall([...encodeBlocks(type, numbered), ...(kept ?? [])]);
  return { list: { path, schema, codec: CODEC, blocks, lookForMergeAt }, nextRowId };
}

/** A manifest that replaces several manifests of the parent. */
export interface MergedEntry {
  readonly file: ListedManifest;
  readonly replaces: readonly ListedManifest[];
}

/** Puts the merged manifest where the newest of its sources was, so that the list stays in the order of the table's history. */
function withMerged(
  inherited: readonly ListedManifest[],
  { file, replaces }: MergedEntry,
): readonly ListedManifest[] {
  const replaced = new Set(replaces.map(({ manifestPath }) => manifestPath));
  const first = inherited.findIndex(({ manifestPath }) => replaced.has(manifestPath));
  const listed = new Set(inherited.map(({ manifestPath }) => manifestPath));
  if (!replaced.isSubsetOf(listed))
    throw new TypeError('a merged manifest stands for one that is not listed');
  return inherited.flatMap((manifest, index) => {
    if (!replaced.has(manifest.manifestPath)) return [manifest];
    return index === first ? [file] : [];
  });
}

/** The bytes of a snapshot's manifest list, with the header fields that readers expect. */
export function encodeManifestList(
  list: ManifestList,
  options: { readonly formatVersion: 1 | 2 | 3; readonly snapshot: SnapshotUpdate; readonly uuid: string },
): Buffer {
  const { formatVersion, snapshot, uuid } = options;
  return writeContainer(
    list,
    {
      'snapshot-id': String(snapshot['snapshot-id']),
      'parent-snapshot-id': String(snapshot['parent-snapshot-id'] ?? null),
      ...(formatVersion > 1 && { 'sequence-number': String(snapshot['sequence-number']) }),
      'format-version': String(formatVersion),
      ...(formatVersion > 2 && { 'first-row-id': String(snapshot['first-row-id']) }),
    },
    syncMarker(uuid),
  );
}

/** This many blocks of one size are joined into one block of the next size. */
const JOINED_BLOCKS = 16;
/** The sizes of blocks: from so many records (inclusive) up to so many (exclusive). */
const BLOCK_SIZES = [
  [0, JOINED_BLOCKS],
  [JOINED_BLOCKS, BLOCK_RECORDS],
] as const;

/**
 * Joins small blocks, because the list of a thousand appends would otherwise be a thousand blocks that compress badly. Blocks of
 * a few records are joined first, and the results are joined once more later, so that a record is compressed about twice more.
 */
function joinSmall(blocks: readonly AvroBlock[]): readonly AvroBlock[] {
  let joined = blocks;
  for (const [least, limit] of BLOCK_SIZES) {
    const start = joined.findIndex(({ recordCount }) => recordCount >= least);
    const end = joined.findIndex(({ recordCount }) => recordCount >= limit);
    const run = start === -1 ? [] : joined.slice(start, end === -1 ? undefined : end);
    const fit = fitting(run);
    if (run.length < JOINED_BLOCKS || fit.length < 2) continue;
    joined = [...joined.slice(0, start), joinBlocks(fit), ...joined.slice(start + fit.length)];
  }
  return joined;
}

/** As many of the first blocks as fit into one block. */
function fitting(blocks: readonly AvroBlock[]): readonly AvroBlock[] {
  let records = 0;
  const end = blocks.findIndex(({ recordCount }) => {
    records += recordCount;
    return records > BLOCK_RECORDS;
  });
  return end === -1 ? blocks : blocks.slice(0, end);
}

function unreadable(path: string, cause: unknown): RegistrarError {
  return new RegistrarError('table.unsupported', `Cannot read manifest list "${path}": ${messageOf(cause)}`, {
    cause,
  });
}
