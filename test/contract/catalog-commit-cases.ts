import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { LoadedTable } from '../../lib/ports.ts';
import type { TableCommit, TableRequirement, TableUpdate } from '../../lib/spec/table-update.ts';
import {
  appendTo,
  type CatalogSubject,
  evolvedSchema,
  identifier,
  loadTable,
  newTable,
  ownIdsHighest,
  refs,
} from './catalog-table.ts';
import type { ContractCase } from './contract.ts';
import { expectOneWinner } from './one-winner.ts';

/** A 63-bit ID that a double cannot hold. */
const snapshotId = 8_656_952_484_400_131_533n;

/** Commits to the newest state and answers the table as it is then loaded. */
async function landed(
  subject: CatalogSubject,
  name: string,
  updates: readonly TableUpdate[],
  requirements: readonly TableRequirement[] = [],
): Promise<LoadedTable> {
  const result = await subject.catalog.commit(identifier(subject, name), { requirements, updates });
  expect(result).toMatchObject({ outcome: 'landed' });
  const table = await loadTable(subject, name);
  if (result.outcome === 'landed') expect(result.table.metadataLocation).toBe(table.metadataLocation);
  return table;
}

/** Commits and expects a refusal that leaves the table as it was. */
async function refused(
  subject: CatalogSubject,
  name: string,
  commit: TableCommit,
  reasons: readonly string[],
): Promise<void> {
  // A metadata file never changes; the order in which Lakekeeper answers what is in it does, from load to load.
  const file = async () => (await subject.catalog.load(identifier(subject, name)))?.metadataLocation;
  const before = await file();
  const result = await subject.catalog.commit(identifier(subject, name), commit);
  expect(result).toMatchObject({ outcome: 'refused', message: expect.stringMatching(/\S/) });
  if (result.outcome === 'refused') expect(reasons).toContain(result.reason);
  expect(await file()).toBe(before);
}

const requirements: readonly {
  readonly of: string;
  readonly fresh: (metadata: LoadedTable['metadata']) => TableRequirement;
  readonly stale: TableRequirement;
}[] = [
  {
    of: 'assert-table-uuid',
    fresh: (metadata) => ({ type: 'assert-table-uuid', uuid: String(metadata['table-uuid']) }),
    stale: { type: 'assert-table-uuid', uuid: '00000000-0000-4000-8000-000000000000' },
  },
  {
    of: 'assert-ref-snapshot-id of a branch',
    fresh: () => ({ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': snapshotId }),
    stale: { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': snapshotId - 1n },
  },
  {
    of: 'assert-ref-snapshot-id null',
    fresh: () => ({ type: 'assert-ref-snapshot-id', ref: 'audit', 'snapshot-id': null }),
    stale: { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null },
  },
  {
    of: 'assert-last-assigned-field-id, nested ones counted (D10)',
    fresh: () => ({ type: 'assert-last-assigned-field-id', 'last-assigned-field-id': ownIdsHighest }),
    stale: { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': 20 },
  },
  {
    of: 'assert-current-schema-id',
    fresh: () => ({ type: 'assert-current-schema-id', 'current-schema-id': 0 }),
    stale: { type: 'assert-current-schema-id', 'current-schema-id': 1 },
  },
  {
    of: 'assert-last-assigned-partition-id',
    fresh: () => ({ type: 'assert-last-assigned-partition-id', 'last-assigned-partition-id': 999 }),
    stale: { type: 'assert-last-assigned-partition-id', 'last-assigned-partition-id': 1000 },
  },
  {
    of: 'assert-default-spec-id',
    fresh: () => ({ type: 'assert-default-spec-id', 'default-spec-id': 0 }),
    stale: { type: 'assert-default-spec-id', 'default-spec-id': 1 },
  },
  {
    of: 'assert-default-sort-order-id',
    fresh: () => ({ type: 'assert-default-sort-order-id', 'default-sort-order-id': 0 }),
    stale: { type: 'assert-default-sort-order-id', 'default-sort-order-id': 1 },
  },
];

const requirementCases: readonly ContractCase<CatalogSubject>[] = requirements.map(
  ({ of, fresh, stale }, index) => ({
    title: `commit asserts ${of}: fresh lands, stale is a conflict and changes nothing (I8)`,
    async run(subject) {
      const name = `requirement_${index}`;
      const { metadata } = await landed(subject, name, appendTo(await newTable(subject, name), snapshotId));
      const updates: TableUpdate[] = [{ action: 'set-properties', updates: { seen: 'yes' } }];
      await refused(subject, name, { requirements: [stale], updates }, ['conflict']);
      await refused(subject, name, { requirements: [fresh(metadata), stale], updates }, ['conflict']);
      const after = await landed(subject, name, updates, [fresh(metadata)]);
      expect(after.metadata['properties']).toMatchObject({ seen: 'yes' });
    },
  }),
);

const updateCases: readonly ContractCase<CatalogSubject>[] = [
  {
    title: 'commit of set-properties and remove-properties changes those and no others',
    async run(subject) {
      await newTable(subject, 'properties');
      const set: TableUpdate = { action: 'set-properties', updates: { a: '1', b: 'ü 🧊' } };
      const { metadata } = await landed(subject, 'properties', [set]);
      expect(metadata['properties']).toMatchObject({ made: 'here', a: '1', b: 'ü 🧊' });
      const after = await landed(subject, 'properties', [{ action: 'remove-properties', removals: ['a'] }]);
      expect(after.metadata['properties']).not.toHaveProperty('a');
      expect(after.metadata['properties']).toMatchObject({ made: 'here', b: 'ü 🧊' });
    },
  },
  {
    title: 'commit of add-schema keeps its field IDs, and -1 makes it current (I5)',
    async run(subject) {
      await newTable(subject, 'schema');
      const { metadata } = await landed(subject, 'schema', [
        { action: 'add-schema', schema: evolvedSchema, 'last-column-id': 78 },
        { action: 'set-current-schema', 'schema-id': -1 },
      ]);
      expect(metadata).toMatchObject({
        'current-schema-id': 1,
        'last-column-id': 78,
        schemas: expect.arrayContaining([
          expect.objectContaining({ 'schema-id': 0 }),
          expect.objectContaining({ 'schema-id': 1, fields: evolvedSchema.fields }),
        ]),
      });
    },
  },
  {
    title: 'commit of add-schema equal to an older one adds nothing: -1 is invalid, its ID is right',
    async run(subject) {
      const { metadata } = await newTable(subject, 'older_schema');
      await landed(subject, 'older_schema', [
        { action: 'add-schema', schema: evolvedSchema, 'last-column-id': 78 },
        { action: 'set-current-schema', 'schema-id': -1 },
      ]);
      const [first] = metadata['schemas'] as [typeof evolvedSchema];
      const again: TableUpdate = {
        action: 'add-schema',
        schema: { ...first, 'schema-id': 2 },
        'last-column-id': 78,
      };
      await refused(
        subject,
        'older_schema',
        { requirements: [], updates: [again, { action: 'set-current-schema', 'schema-id': -1 }] },
        ['invalid'],
      );
      const back = await landed(subject, 'older_schema', [{ action: 'set-current-schema', 'schema-id': 0 }]);
      expect(back.metadata).toMatchObject({ 'current-schema-id': 0, 'last-column-id': 78 });
    },
  },
  {
    title: 'commit of add-spec and set-default-spec partitions the table',
    async run(subject) {
      await newTable(subject, 'spec');
      const { metadata } = await landed(subject, 'spec', [
        {
          action: 'add-spec',
          spec: {
            'spec-id': 1,
            fields: [{ 'source-id': 10, 'field-id': 1000, name: 'bucket', transform: 'bucket[16]' }],
          },
        },
        { action: 'set-default-spec', 'spec-id': -1 },
      ]);
      expect(metadata).toMatchObject({ 'default-spec-id': 1, 'last-partition-id': 1000 });
    },
  },
  {
    title: 'commit of upgrade-format-version makes a table v3, never v2 again',
    async run(subject) {
      await newTable(subject, 'format');
      const { metadata } = await landed(subject, 'format', [
        { action: 'upgrade-format-version', 'format-version': 3 },
      ]);
      expect(metadata).toMatchObject({ 'format-version': 3 });
      const downgrade: TableUpdate = { action: 'upgrade-format-version', 'format-version': 2 };
      await refused(subject, 'format', { requirements: [], updates: [downgrade] }, ['invalid']);
    },
  },
  {
    title: 'commit of add-snapshot and set-snapshot-ref appends to a branch; 63-bit IDs survive (C14)',
    async run(subject) {
      const first = await landed(subject, 'append', appendTo(await newTable(subject, 'append'), snapshotId));
      expect(BigInt(refs(first.metadata)['main']?.['snapshot-id'] ?? 0)).toBe(snapshotId);
      const second = await landed(subject, 'append', appendTo(first, snapshotId + 1n));
      expect(second.metadata).toMatchObject({
        'current-snapshot-id': snapshotId + 1n,
        'last-sequence-number': 2,
        snapshots: expect.arrayContaining([
          expect.objectContaining({ 'snapshot-id': snapshotId }),
          expect.objectContaining({ 'snapshot-id': snapshotId + 1n, 'parent-snapshot-id': snapshotId }),
        ]),
      });
    },
  },
  {
    title: 'commit of set-snapshot-ref keeps the retention that it sends, and only that',
    async run(subject) {
      const retention = {
        'min-snapshots-to-keep': 3,
        'max-snapshot-age-ms': 86_400_000,
        'max-ref-age-ms': 9e12,
      };
      const table = await newTable(subject, 'retention');
      const first = await landed(
        subject,
        'retention',
        appendTo(table, 1n, { branch: 'audit', ...retention }),
      );
      expect(refs(first.metadata)['audit']).toMatchObject({ type: 'branch', 'snapshot-id': 1, ...retention });
      const second = await landed(subject, 'retention', appendTo(first, 2n, { branch: 'audit' }));
      expect(refs(second.metadata)['audit']).not.toHaveProperty('min-snapshots-to-keep');
    },
  },
  {
    title: 'commit of schema and snapshot is one step (I4)',
    async run(subject) {
      const table = await newTable(subject, 'one_step');
      const updates: TableUpdate[] = [
        { action: 'add-schema', schema: evolvedSchema, 'last-column-id': 78 },
        { action: 'set-current-schema', 'schema-id': -1 },
        { action: 'set-properties', updates: { with: 'schema' } },
        ...appendTo(table, snapshotId, { schemaId: 1 }),
      ];
      const stale: TableRequirement = { type: 'assert-current-schema-id', 'current-schema-id': 7 };
      await refused(subject, 'one_step', { requirements: [stale], updates }, ['conflict']);
      const { metadata } = await landed(subject, 'one_step', updates, [
        { type: 'assert-table-uuid', uuid: String(table.metadata['table-uuid']) },
        { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null },
        { type: 'assert-current-schema-id', 'current-schema-id': 0 },
        { type: 'assert-last-assigned-field-id', 'last-assigned-field-id': ownIdsHighest },
        { type: 'assert-default-spec-id', 'default-spec-id': 0 },
      ]);
      expect(metadata).toMatchObject({
        'current-schema-id': 1,
        properties: { with: 'schema' },
        snapshots: [{ 'snapshot-id': snapshotId, 'schema-id': 1 }],
      });
    },
  },
  {
    title: 'commit of a sequence number that is not above the last one is refused (D4)',
    async run(subject) {
      const first = await landed(subject, 'sequence', appendTo(await newTable(subject, 'sequence'), 1n));
      const [add, set] = appendTo(first, 2n);
      if (add?.action !== 'add-snapshot' || set === undefined) throw new Error('Expected an append');
      const behind: TableUpdate = { ...add, snapshot: { ...add.snapshot, 'sequence-number': 1n } };
      const commit = { requirements: [], updates: [behind, set] };
      await refused(subject, 'sequence', commit, ['conflict', 'invalid']);
    },
  },
  {
    title: 'commit of an update that the catalog does not know is invalid',
    async run(subject) {
      await newTable(subject, 'unknown_update');
      const update = { action: 'paint-table', colour: 'red' } as unknown as TableUpdate;
      await refused(subject, 'unknown_update', { requirements: [], updates: [update] }, ['invalid']);
    },
  },
  {
    title: 'commit of a requirement that the catalog does not know is invalid',
    async run(subject) {
      await newTable(subject, 'unknown_requirement');
      const requirement = { type: 'assert-colour', colour: 'red' } as unknown as TableRequirement;
      const updates: TableUpdate[] = [{ action: 'set-properties', updates: { seen: 'yes' } }];
      await refused(subject, 'unknown_requirement', { requirements: [requirement], updates }, ['invalid']);
    },
  },
  {
    title: 'commit to a table that does not exist is refused as missing',
    async run(subject) {
      const updates: TableUpdate[] = [{ action: 'set-properties', updates: { seen: 'yes' } }];
      const requirement: TableRequirement = { type: 'assert-table-uuid', uuid: randomUUID() };
      await refused(subject, 'absent', { requirements: [requirement], updates }, ['missing']);
    },
  },
  {
    title: 'commit has one winner among 20 racers from one base',
    async run(subject) {
      const table = await newTable(subject, 'race');
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, racer) =>
          subject.catalog.commit(identifier(subject, 'race'), {
            requirements: [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null }],
            updates: appendTo(table, BigInt(racer) + 1n),
          }),
        ),
      );
      const winner = expectOneWinner(results);
      expect((await loadTable(subject, 'race')).metadata).toMatchObject({
        'current-snapshot-id': winner + 1,
        snapshots: [{ 'snapshot-id': winner + 1 }],
      });
    },
  },
];

/** What a commit asserts and changes: each requirement fresh and stale, each update, races. */
export const commitCases: readonly ContractCase<CatalogSubject>[] = [...requirementCases, ...updateCases];
