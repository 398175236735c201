import { type ResolvedPartitionField, resolvePartitionFields } from '../../append/transform.ts';
import type { Entry } from '../../config/entry.ts';
import type { RegistrarError } from '../../errors.ts';
import { decodeEvent } from '../../event/decode-event.ts';
import type { IgnoredNotification } from '../../event/decoded-event.ts';
import type { Log } from '../../ports.ts';
import type { Registration, SegmentOutcome } from '../../report/outcome.ts';
import { columnsOf } from '../../schema/columns.ts';
import { formatChange, schemaChanges } from '../../schema/schema-change.ts';
import { formatIdentifier } from '../../spec/table-identifier.ts';
import { readTableMetadata } from '../../spec/table-metadata.ts';
import type { TableState } from '../../spec/table-state.ts';
import type { TableCommit } from '../../spec/table-update.ts';
import { LONGEST_INVOCATION_MS } from '../longest-invocation.ts';
import { register } from '../register/register.ts';
import type { RegisterPorts } from '../register/register-ports.ts';
import { type ChangedTable, type PlannedWorld, plannedWorld } from './planned-world.ts';

/** What a registration would do. */
export interface Plan {
  /** Tables that would change. */
  readonly tables: readonly PlannedTable[];
  /** One per segment: `committed` would be committed, `quarantined` quarantined, `failed` delivered again. */
  readonly outcomes: readonly SegmentOutcome[];
  /** Records of the event that name no segment. */
  readonly ignored: readonly IgnoredNotification[];
  /** Records of the event that would be quarantined as they are. */
  readonly rejected: readonly RegistrarError[];
  /** What would be written to the store: manifests, manifest lists, metadata files of new tables. */
  readonly files: readonly { readonly uri: string; readonly sizeBytes: number }[];
}

export interface PlannedTable {
  readonly table: string;
  /** The table as it would be created, before its first snapshot; undefined if it exists. */
  readonly created: TableState | undefined;
  /** `+ note (7): string`, …; for a new table all its columns. */
  readonly schemaChanges: readonly string[];
  /** The partition fields that a segment's partition values belong to. */
  readonly partitionFields: readonly ResolvedPartitionField[];
  /** The commits that would be sent, in order; the last one appends. */
  readonly commits: readonly TableCommit[];
}

/**
 * Registers the segments of an event in a world where no write leaves this process: the same stages as {@link register}, with
 * real reads. The one difference: a create request is planned as if the catalog kept the field IDs.
 *
 * @throws `event.malformed` for an event that could not be reported on
 */
export async function plan(event: unknown, ports: RegisterPorts): Promise<Plan> {
  const { messages } = decodeEvent(event);
  const worlds = new Map<Entry, PlannedWorld>();
  for (const entry of ports.entries) worlds.set(entry, plannedWorld(ports.portsOf(entry), ports.random));
  const { outcomes, registrations } = await register(
    messages.flatMap(({ references }) => references),
    {
      ...ports,
      portsOf: (entry) => worlds.get(entry)?.ports ?? ports.portsOf(entry),
      cache: new Map(),
      log: silent,
    },
    () => LONGEST_INVOCATION_MS,
  );
  return {
    tables: [...worlds.values()].flatMap(({ tables }) =>
      [...tables.values()].map((table) => plannedTable(table, registrations)),
    ),
    outcomes,
    ignored: messages.flatMap(({ ignored }) => ignored.map(({ reason }) => reason)),
    rejected: messages.flatMap(({ rejected }) => rejected),
    files: [...worlds.values()].flatMap(({ files }) =>
      [...files].map(([uri, bytes]) => ({ uri, sizeBytes: bytes.length })),
    ),
  };
}

const silent: Log = { info() {}, warn() {}, error() {} };

function plannedTable(
  { identifier, created, commits, after }: ChangedTable,
  registrations: readonly Registration[],
): PlannedTable {
  const made = created && readTableMetadata(identifier, created);
  const { defaultSpec, currentSchema } = readTableMetadata(identifier, after);
  const snapshotIds = commits.flatMap(({ updates }) =>
    updates.map((update) => (update.action === 'add-snapshot' ? update.snapshot['snapshot-id'] : undefined)),
  );
  const registration = registrations.find(({ snapshotId }) => snapshotIds.includes(snapshotId));
  const columns =
    made === undefined ? [] : schemaChanges(new Map(), columnsOf(made.currentSchema)).map(formatChange);
  return {
    table: formatIdentifier(identifier),
    created: made,
    schemaChanges: [...columns, ...(registration?.schemaChanges ?? [])],
    partitionFields: resolvePartitionFields(defaultSpec, currentSchema),
    commits,
  };
}
