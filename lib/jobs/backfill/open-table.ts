import { RegistrarError } from '../../errors.ts';
import { objectReference, type SegmentReference } from '../../event/segment-reference.ts';
import type { Candidate } from '../../ledger/candidate.ts';
import { searchSnapshots } from '../../ledger/ledger.ts';
import { ledgerMemory } from '../../ledger/ledger-memory.ts';
import { provableSince } from '../../ledger/provable-history.ts';
import type { Dataset } from '../../route/layout.ts';
import { layoutRouter } from '../../route/layout.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { snapshotsOutside, type TableState } from '../../spec/table-state.ts';
import { quarantineStates, segmentTest } from '../datasets/dataset-objects.ts';
import { loadState, missingTable } from '../load-state.ts';
import { manifestReader } from '../register/table-manifests.ts';
import type { BackfillPorts } from './backfill-ports.ts';
import { type KnownPaths, knownPaths } from './known-paths.ts';
import type { LakeObject } from './lake-object.ts';

/** A table as it was when it was searched, and what that says about objects. */
export interface OpenTable {
  readonly dataset: Dataset;
  readonly known: KnownPaths;
  /** The longest footer read so far. */
  readonly longest: { footerBytes: number };
  /**
   * Sorts an object. `replaced`: the table has the path with another size. `waiting`: it is in quarantine. `discarded`: it was
   * there, and somebody settled it.
   */
  sort(object: LakeObject): 'registered' | 'replaced' | 'ignored' | 'waiting' | 'discarded' | 'open';
  /** The objects that a snapshot outside the branch's history has: rolled back, or on another branch. */
  elsewhere(objects: readonly LakeObject[]): Promise<ReadonlySet<string>>;
}

/**
 * Loads a table and searches all of its manifests, once. A missing table is created with its first commit.
 *
 * @throws `table.missing`, `registration.unprovable`, and the errors of catalog and store
 */
export async function openTable(dataset: Dataset, ports: BackfillPorts): Promise<OpenTable> {
  const { entry, table } = dataset;
  const { catalog, store, tableStore = store } = ports.portsOf(entry);
  const state = await loadState(catalog, table);
  if (state === undefined && !entry.create_table) throw missingTable(dataset);
  if (state !== undefined && entry.copies === 'quarantine') refuseCopies(state, entry.branch);

  const [known, quarantineStateOf] = await Promise.all([
    knownPaths(state, entry.branch, tableStore),
    quarantineStates(table, ports),
  ]);
  const isSegment = state && segmentTest(dataset, state, layoutRouter(ports.entries));
  const others = state === undefined ? [] : snapshotsOutside(state, entry.branch);
  const manifests = manifestReader(tableStore);
  const memory = ledgerMemory();
  return {
    dataset,
    known,
    longest: { footerBytes: 0 },
    sort({ uri, sizeBytes, etag }) {
      if (isSegment?.({ uri, sizeBytes: sizeBytes ?? Number.NaN }) === false) return 'ignored';
      const found = known.find(uri, sizeBytes);
      if (found === 'same size') return 'registered';
      const quarantined = quarantineStateOf({ uri, version: etag });
      if (quarantined !== undefined) return quarantined;
      return found === 'other size' ? 'replaced' : 'open';
    },
    async elsewhere(objects) {
      if (others.length === 0) return NONE;
      const found = await searchSnapshots(others, objects.map(candidateOf), manifests, memory);
      return new Set(found.keys());
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

function candidateOf({ uri, etag = '', sizeBytes = 0 }: LakeObject): Candidate {
  return { uri, etag, sizeBytes, uploadedMs: 0, copied: false };
}

/**
 * Refuses a table for which absence cannot be proven: where objects may be copies, no upload time shows that they are new, only
 * a history without gaps does.
 */
function refuseCopies(state: TableState, branch: string): void {
  if (provableSince(state, branch) === 'beginning') return;
  const table = formatIdentifier(state.identifier);
  throw new RegistrarError(
    'registration.unprovable',
    `Cannot prove what is not in table "${table}": its first snapshots have expired, and its objects may be copies (copies: quarantine); ` +
      'set copies: accept where nothing was copied in place, then go on',
    { context: { table } },
  );
}

/** The reference of an object, with what the listing said about it. */
export function referenceOf({ uri, sizeBytes, etag }: LakeObject): SegmentReference {
  return {
    ...objectReference(uri),
    ...(etag !== undefined && { etag }),
    ...(sizeBytes !== undefined && { sizeBytes }),
  };
}
