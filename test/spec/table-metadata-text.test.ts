import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../../lib/spec/json.ts';
import { readTableMetadata } from '../../lib/spec/table-metadata.ts';
import { scanMetadata } from '../../lib/spec/table-metadata-text.ts';
import type { TableState } from '../../lib/spec/table-state.ts';

const identifier = { namespace: ['lake'], name: 'orders' };

/** Reads metadata parsed as a whole, and as text on the previous state; both without the text that the state keeps. */
function both(text: string, before?: TableState) {
  const answer = { metadataLocation: 's3://lake/m.json', metadata: parseJson(text) as never };
  // As in a catalog's answer, after other members.
  const bytes = Buffer.from(`{"metadata":${text},"config":{}}`);
  const metadataText = scanMetadata(bytes, '{"metadata":'.length, before?.historyText);
  const plain = (state: TableState) => {
    const { historyText: _text, metadataBytes: _bytes, ...rest } = state;
    return { ...rest, snapshots: [...rest.snapshots] };
  };
  const whole = readTableMetadata(identifier, answer);
  const followed = readTableMetadata(identifier, { ...answer, metadataText }, before);
  return { whole: plain(whole), followed: plain(followed), state: followed };
}

interface SnapshotJson {
  readonly 'snapshot-id': bigint;
  readonly summary: Record<string, string>;
}

/** Texts that contain the characters which the scanner looks for. */
const treacherous = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    'snapshots',
    '"snapshots":[',
    '],"refs":{}',
    '\\"',
    '{"main":{"snapshot-id":1}}',
    '\\',
    ']}',
    'é\u{1f600}',
  ),
);

const snapshotId = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
const snapshotJson: fc.Arbitrary<SnapshotJson> = fc.record({
  'snapshot-id': snapshotId,
  'sequence-number': fc.bigInt({ min: 0n, max: 2n ** 40n }),
  'timestamp-ms': fc.bigInt({ min: 0n, max: 2n ** 42n }),
  'manifest-list': treacherous,
  summary: fc.dictionary(treacherous, treacherous, { maxKeys: 3 }),
});

type Step =
  | { readonly kind: 'append'; readonly added: readonly SnapshotJson[] }
  | { readonly kind: 'expire' | 'shuffle' | 'change' | 'same'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      added: fc.array(snapshotJson, { maxLength: 3 }),
    }),
  },
  fc.record({
    kind: fc.constantFrom('expire' as const, 'shuffle' as const, 'change' as const, 'same' as const),
    at: fc.nat(),
  }),
);

function applied(snapshots: readonly SnapshotJson[], one: Step): readonly SnapshotJson[] {
  if (one.kind === 'append') {
    const ids = new Set(snapshots.map((snapshot) => snapshot['snapshot-id']));
    return [...snapshots, ...one.added.filter((snapshot) => !ids.has(snapshot['snapshot-id']))];
  }
  const at = snapshots.length === 0 ? 0 : one.at % snapshots.length;
  if (one.kind === 'expire') return snapshots.toSpliced(at, 1);
  if (one.kind === 'shuffle') return [...snapshots.slice(at), ...snapshots.slice(0, at)];
  if (one.kind === 'same') return snapshots;
  return snapshots.map((snapshot, index) =>
    index === at ? { ...snapshot, summary: { changed: 'yes' } } : snapshot,
  );
}

const layouts = fc.record({
  space: fc.constantFrom(undefined, 1, '\t'),
  reversed: fc.boolean(),
  properties: fc.oneof(fc.constant({ kept: 'yes' }), fc.dictionary(treacherous, treacherous, { maxKeys: 3 })),
  columns: fc.nat({ max: 2 }),
});

const fieldsOf = (columns: number) =>
  Array.from({ length: columns }, (_, at) => ({
    id: at + 1,
    name: `column ${at}`,
    required: false,
    type: 'int',
  }));

test('reading on from the previous state gives the same as parsing the whole, whatever other writers and the catalog do', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, layouts), { minLength: 1, maxLength: 8 }), (steps) => {
      let snapshots: readonly SnapshotJson[] = [];
      let before: TableState | undefined;
      for (const [one, { space, reversed, properties, columns }] of steps) {
        snapshots = applied(snapshots, one);
        const head = snapshots.at(-1)?.['snapshot-id'];
        const metadata = Object.entries({
          'format-version': 2,
          'table-uuid': 'u',
          location: 's3://lake/orders',
          'last-sequence-number': 2n ** 60n + 1n,
          'last-updated-ms': 1,
          'last-column-id': 1,
          schemas: [{ type: 'struct', 'schema-id': 0, fields: fieldsOf(columns) }],
          'current-schema-id': 0,
          'partition-specs': [{ 'spec-id': 0, fields: [] }],
          'default-spec-id': 0,
          properties,
          'current-snapshot-id': head ?? -1,
          refs: head === undefined ? {} : { main: { type: 'branch', 'snapshot-id': head } },
          snapshots,
          'snapshot-log': snapshots.map((snapshot) => ({
            'timestamp-ms': 1,
            'snapshot-id': snapshot['snapshot-id'],
          })),
        });
        const text = stringifyJson(
          Object.fromEntries(reversed ? metadata.toReversed() : metadata),
          space as number,
        );
        const { whole, followed, state } = both(text, before);
        expect(followed).toStrictEqual(whole);
        before = state;
      }
    }),
  );
});

test('only the appended snapshot is parsed: the others are the very objects of the previous state', () => {
  const text = (ids: readonly bigint[]) =>
    stringifyJson({
      'format-version': 2,
      'table-uuid': 'u',
      location: 's3://lake/orders',
      'last-sequence-number': 1,
      'last-updated-ms': 1,
      'last-column-id': 1,
      schemas: [{ type: 'struct', 'schema-id': 0, fields: [] }],
      'current-schema-id': 0,
      'partition-specs': [{ 'spec-id': 0, fields: [] }],
      'default-spec-id': 0,
      refs: {},
      snapshots: ids.map((id) => ({
        'snapshot-id': id,
        'timestamp-ms': 1,
        summary: { operation: 'append' },
      })),
    });
  const first = both(text([1n, 2n])).state;
  const second = both(text([1n, 2n, 3n]), first).state;
  expect(second.metadataBytes).toBe(text([1n, 2n, 3n]).length);
  expect(second.snapshots.get(1n)).toBe(first.snapshots.get(1n));
  const expired = both(text([2n, 3n, 4n]), second).state;
  expect(expired.snapshots.get(2n)).not.toBe(first.snapshots.get(2n));
});

test('members that no commit changed are the same objects; if a member occurs twice, the last one counts', () => {
  const schemas = '[{"type":"struct","schema-id":0,"fields":[]}]';
  const text = (members: string) =>
    `{"format-version":2,"table-uuid":"u","location":"s3://lake/orders","last-sequence-number":1,"last-updated-ms":1,"last-column-id":1,` +
    `"schemas":${schemas},"current-schema-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"default-spec-id":0,"refs":{},"snapshots":[],${members}}`;
  const first = both(text('"properties":{"a":"1"}')).state;
  const second = both(text('"properties":{"a":"2"}'), first).state;
  expect(second.schemas).toBe(first.schemas);
  expect(second.defaultSpec).toBe(first.defaultSpec);
  expect(second.properties).toEqual({ a: '2' });
  const { whole, followed } = both(text('"properties":{"a":"2"},"properties":{"a":"3"}'), second);
  expect(followed).toStrictEqual(whole);
  expect(both(text('"properties":{"a":"3"},"properties":{"a":"2"}'), second).state.properties).toEqual({
    a: '2',
  });
});
