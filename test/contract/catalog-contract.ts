import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { commitCases } from './catalog-commit-cases.ts';
import {
  appendTo,
  type CatalogSubject,
  creation,
  identifier,
  loadTable,
  makeTable,
  metadataFile,
  newTable,
  ownIds,
  ownIdsHighest,
} from './catalog-table.ts';
import { type ContractCase, contract, type Exceptions, type Made } from './contract.ts';
import { expectOneWinner } from './one-winner.ts';

const namespaceCases: readonly ContractCase<CatalogSubject>[] = [
  ['one'],
  ['two', 'levels'],
  ['dots.in', 'it'],
  ['ü 日本', 'a b'],
  ['percent%2E', 'plus+'],
].map((levels) => ({
  title: `createNamespace makes ${JSON.stringify(levels)}, level by level, and finds it the second time (D11)`,
  async run(subject: CatalogSubject) {
    const { catalog, namespace, location } = subject;
    const [first = '', ...rest] = levels;
    const made = [`${namespace[0]}_${first}`, ...rest];
    await catalog.createNamespace(made);
    await catalog.createNamespace(made);
    const table = { namespace: made, name: 'inside' };
    expect(await makeTable(subject, table, `${location}/${randomUUID()}`)).not.toBe('exists');
    expect(await catalog.load(table)).toBeDefined();
  },
}));

const nameCases: readonly ContractCase<CatalogSubject>[] = [
  'a.b',
  'a b',
  'a/b',
  'a+b&c=d',
  'q?h#',
  '100%25',
  'ü日本🧊',
].map((name) => ({
  title: `table name ${JSON.stringify(name)} arrives as it is (D12)`,
  async run(subject: CatalogSubject) {
    const table = identifier(subject, name);
    const location = `${subject.location}/${randomUUID()}`;
    expect(await makeTable(subject, table, location)).toMatchObject({ metadata: { location } });
    expect((await subject.catalog.load(table))?.metadata).toMatchObject({ location });
    expect(await makeTable(subject, table, location)).toBe('exists');
  },
}));

const creationCases: readonly ContractCase<CatalogSubject>[] = [
  {
    title: 'a namespace of two levels is not the one whose name has a dot (D11)',
    async run(subject) {
      const { catalog, namespace, location } = subject;
      const levels = [`${namespace[0]}_dotted`, 'level'];
      await catalog.createNamespace(levels);
      await makeTable(subject, { namespace: levels, name: 'inside' }, `${location}/dotted`);
      expect(await catalog.load({ namespace: [levels.join('.')], name: 'inside' })).toBeUndefined();
    },
  },
  {
    title: 'load of a table or a namespace that does not exist answers nothing',
    async run(subject) {
      expect(await subject.catalog.load(identifier(subject, 'nothing'))).toBeUndefined();
      expect(await subject.catalog.load({ namespace: ['no', 'where'], name: 'nothing' })).toBeUndefined();
    },
  },
  {
    title: 'supports says that the catalog registers, commits and creates',
    async run({ catalog }) {
      for (const endpoint of ['register', 'commit', 'create'] as const) {
        expect(await catalog.supports(endpoint)).toBe(true);
      }
    },
  },
  {
    title: 'commit of assert-create makes a table with IDs, UUID, location and properties as sent (I5)',
    async run(subject) {
      const uuid = randomUUID();
      const location = `${subject.location}/assert_create`;
      const table = identifier(subject, 'assert_create');
      expect(await subject.catalog.commit(table, creation(location, uuid))).toMatchObject({
        outcome: 'landed',
      });
      expect((await loadTable(subject, 'assert_create')).metadata).toMatchObject({
        'table-uuid': uuid,
        location,
        'format-version': 2,
        'last-column-id': ownIdsHighest,
        'current-schema-id': 0,
        schemas: [{ fields: ownIds.fields }],
        properties: { made: 'here' },
      });
    },
  },
  {
    title: 'commit of assert-create has one winner among 20 creators, the table with its first snapshot',
    async run(subject) {
      const table = identifier(subject, 'created_once');
      const location = `${subject.location}/created_once`;
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, racer) => {
          const { requirements, updates } = creation(location);
          const metadata = { 'last-sequence-number': 0, 'last-updated-ms': Date.now(), location };
          const append = appendTo({ metadata, metadataLocation: undefined, config: {} }, BigInt(racer) + 1n);
          return subject.catalog.commit(table, { requirements, updates: [...updates, ...append] });
        }),
      );
      const winner = expectOneWinner(results);
      expect((await loadTable(subject, 'created_once')).metadata).toMatchObject({
        'current-snapshot-id': winner + 1,
      });
    },
  },
  {
    title:
      'register takes a metadata file with its IDs, UUID and location; a second one finds the table (I5)',
    async run(subject) {
      const uuid = randomUUID();
      const location = `${subject.location}/registered`;
      const file = `${location}/metadata/00000-${uuid}.metadata.json`;
      const written = { lastColumnId: 1_000_000, made: 'by file' };
      await subject.writeFile(file, metadataFile(location, uuid, written));
      const table = identifier(subject, 'registered');
      const expected = {
        metadataLocation: file,
        metadata: {
          'table-uuid': uuid,
          location,
          'last-column-id': 1_000_000,
          schemas: [{ fields: ownIds.fields }],
          properties: { made: 'by file' },
        },
      };
      expect(await subject.catalog.register(table, file)).toMatchObject(expected);
      expect(await subject.catalog.load(table)).toMatchObject(expected);
      expect(await subject.catalog.register(table, file)).toBe('exists');
    },
  },
  {
    title: 'register of a file that is not there fails and makes nothing',
    async run(subject) {
      const table = identifier(subject, 'registered_nothing');
      const file = `${subject.location}/registered_nothing/metadata/00000-absent.metadata.json`;
      await expect(subject.catalog.register(table, file)).rejects.toMatchObject({
        code: expect.stringMatching(/^catalog\.(refused|unavailable)$/),
      });
      expect(await subject.catalog.load(table)).toBeUndefined();
    },
  },
  {
    title: 'create makes a table and gives its fields new IDs; a second one finds it',
    async run(subject) {
      const table = identifier(subject, 'created');
      const request = {
        schema: ownIds,
        spec: { 'spec-id': 0, fields: [] },
        location: `${subject.location}/created`,
        formatVersion: 2,
        properties: { made: 'by create' },
      };
      expect(await subject.catalog.create(table, request)).toMatchObject({
        metadata: {
          location: `${subject.location}/created`,
          'last-column-id': 3,
          'format-version': 2,
          properties: { made: 'by create' },
        },
      });
      expect(await subject.catalog.create(table, request)).toBe('exists');
    },
  },
  {
    title: 'every commit has a metadata file of its own, and load answers the newest (D5)',
    async run(subject) {
      const table = identifier(subject, 'files');
      const locations = [(await newTable(subject, 'files')).metadataLocation];
      for (const value of ['1', '2', '3']) {
        const result = await subject.catalog.commit(table, {
          requirements: [],
          updates: [{ action: 'set-properties', updates: { value } }],
        });
        if (result.outcome === 'landed') locations.push(result.table.metadataLocation);
        expect((await loadTable(subject, 'files')).metadataLocation).toBe(locations.at(-1));
      }
      expect(new Set(locations).size).toBe(4);
    },
  },
];

export const catalogCases: readonly ContractCase<CatalogSubject>[] = [
  ...namespaceCases,
  ...nameCases,
  ...creationCases,
  ...commitCases,
];

/** Holds a catalog to the port (`lib/ports.ts`). */
export function catalogContract(
  name: string,
  make: () => Promise<Made<CatalogSubject>>,
  except?: Exceptions,
): void {
  contract(name, catalogCases, make, { except });
}
