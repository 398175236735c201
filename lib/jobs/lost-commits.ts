import { gunzipSync } from 'node:zlib';
import { counted } from '../counted.ts';
import { RegistrarError } from '../errors.ts';
import { isRegistration } from '../ledger/registration-summary.ts';
import type { Catalog, Store } from '../ports.ts';
import { parseJson } from '../spec/json.ts';
import { metadataVersion } from '../spec/metadata-file.ts';
import type { Snapshot } from '../spec/snapshot.ts';
import type { TableIdentifier } from '../spec/table-identifier.ts';
import { readTableMetadata } from '../spec/table-metadata.ts';
import { branchHead, type TableState } from '../spec/table-state.ts';
import { loadState } from './load-state.ts';

/** Commits that had landed and are no longer in the catalog's table. */
export interface LostCommits {
  /** The newest metadata file that they left. */
  readonly metadataLocation: string;
  /** Number of snapshots in it that the catalog does not have, and how many of them are registrations. */
  readonly snapshots: number;
  readonly registrations: number;
}

/**
 * Detects from the table's own files that a commit which had landed is gone from the catalog, as after a restore from an older
 * backup. A writer numbers its metadata file one above the file it read, so a file two numbers ahead of the catalog's was based
 * on one that the catalog once had. A file one number ahead may belong to a commit that was refused, so a single lost commit
 * cannot be detected. Nothing can where metadata files have no numbers.
 *
 * @returns undefined where nothing is known to be lost, as where the files cannot be listed (vended credentials)
 */
export function lostCommits(
  identifier: TableIdentifier,
  state: TableState,
  ports: LostCommitsPorts,
): Promise<LostCommits | undefined> {
  return commitsGone(identifier, state, ports).catch((error: unknown) => {
    if (!(error instanceof RegistrarError)) throw error;
    return undefined;
  });
}

interface LostCommitsPorts {
  readonly store: Pick<Store, 'list' | 'read'>;
  readonly catalog: Pick<Catalog, 'load'>;
}

async function commitsGone(
  identifier: TableIdentifier,
  state: TableState,
  { store, catalog }: LostCommitsPorts,
): Promise<LostCommits | undefined> {
  const ahead = await filesAhead(state, store);
  if (ahead.length === 0) return undefined;
  // Those commits may have landed after the state was loaded, so the table is loaded again.
  const now = await loadState(catalog, identifier);
  if (now === undefined) return undefined;
  const floor = versionAhead(now);
  for (const { uri, version } of ahead) {
    if (floor === undefined || version < floor) return undefined;
    const later = await readLater(identifier, uri, store);
    // The file may belong to a table that was dropped and had the same location.
    if (later?.uuid !== now.uuid) continue;
    const lost = [...later.snapshots.values()].filter(({ snapshotId }) => !now.snapshots.has(snapshotId));
    return lostOf(uri, lost);
  }
  return undefined;
}

interface MetadataFile {
  readonly uri: string;
  readonly version: number;
}

/** Metadata files that are at least two numbers ahead, newest first. */
async function filesAhead(state: TableState, store: Pick<Store, 'list'>): Promise<readonly MetadataFile[]> {
  const floor = versionAhead(state);
  if (floor === undefined) return [];
  const { metadataLocation = '' } = state;
  const files: MetadataFile[] = [];
  // All but the last two digits: that finds a hundred metadata files and hardly any others.
  const listed = String(floor).padStart(5, '0').slice(0, -2);
  for await (const { uri } of store.list(
    metadataLocation.slice(0, metadataLocation.lastIndexOf('/') + 1) + listed,
  )) {
    const version = metadataVersion(uri) ?? -1;
    if (version >= floor) files.push({ uri, version });
  }
  return files.sort((a, b) => b.version - a.version);
}

/** The lowest version that proves a lost commit; undefined if versions have no numbers. */
function versionAhead({ metadataLocation }: TableState): number | undefined {
  const version = metadataVersion(metadataLocation ?? '');
  return version === undefined ? undefined : version + 2;
}

/** Limit of the unpacked size: anybody who may write to this location could leave a small gzip file that unpacks to a huge one. */
const LARGEST_METADATA = 256 * 1024 * 1024;

/** Reads a later metadata file; undefined if it is not readable as metadata, and so proves nothing. */
async function readLater(
  identifier: TableIdentifier,
  uri: string,
  store: Pick<Store, 'read'>,
): Promise<TableState | undefined> {
  const read = await store.read(uri);
  if (read.kind !== 'object') return undefined;
  try {
    const bytes = uri.endsWith('.gz.metadata.json')
      ? gunzipSync(read.bytes, { maxOutputLength: LARGEST_METADATA })
      : Buffer.from(read.bytes);
    const metadata = parseJson(bytes.toString()) as Readonly<Record<string, unknown>>;
    return readTableMetadata(identifier, { metadataLocation: uri, metadata });
  } catch {
    return undefined;
  }
}

/**
 * Detects the same from two states of a table that the catalog returned one after the other. No sequence number is given twice,
 * so if a head of the first state is gone and another snapshot has its number, the catalog was taken back in between. This
 * detects a single lost commit too. Tables of format version 1 have no sequence numbers.
 *
 * @returns undefined where nothing is known to be lost
 */
export function commitsLostSince(
  known: TableState,
  now: TableState,
  branch: string,
): LostCommits | undefined {
  if (known.uuid !== now.uuid || known.metadataLocation === undefined) return undefined;
  const head = branchHead(known, branch);
  if (head === undefined || head.sequenceNumber === 0n || now.snapshots.has(head.snapshotId))
    return undefined;
  const isTaken = now.snapshots.values().some(({ sequenceNumber }) => sequenceNumber === head.sequenceNumber);
  if (!isTaken) return undefined;
  // Metadata has its snapshots in any order, and Lakekeeper's in another at every load.
  const snapshots = [...known.snapshots.values()].sort((a, b) => Number(a.sequenceNumber - b.sequenceNumber));
  const isKept = ({ snapshotId }: Snapshot) => now.snapshots.has(snapshotId);
  const lastKept = snapshots.findLastIndex(isKept);
  // Snapshots before the last one that was kept may have expired.
  const lost = snapshots.slice(lastKept + 1);
  return lostOf(known.metadataLocation, lost);
}

function lostOf(metadataLocation: string, lost: readonly Snapshot[]): LostCommits {
  const registrations = lost.filter(({ summary }) => isRegistration(summary));
  return { metadataLocation, snapshots: lost.length, registrations: registrations.length };
}

/** A text for logs, reports and pages: what happened, and the way out. */
export function lostCommitsText({ metadataLocation, snapshots, registrations }: LostCommits): string {
  return (
    `${counted(snapshots, 'snapshot')}, ${counted(registrations, 'registration')} among them, had landed and ${snapshots === 1 ? 'is' : 'are'} gone from the catalog: it was restored from an older backup, ` +
    `or another catalog commits to the same table; the newest metadata that has ${snapshots === 1 ? 'it' : 'them'} is "${metadataLocation}". Register that in the catalog if nothing was ` +
    'committed since, or let reconcile send what is missing: docs/operating.md#commits-lost'
  );
}
