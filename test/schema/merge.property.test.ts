import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../lib/schema/columns.ts';
import type { SegmentSchema } from '../../lib/schema/segment-schema.ts';
import { isSameOrPromotion } from '../../lib/spec/primitive-type.ts';
import { highestFieldId, type Schema } from '../../lib/spec/schema.ts';
import { complaints, createdTable, type EvolvingTable, segment } from './evolving-table.ts';
import { lineage, mutated, steps } from './lineage.ts';

/** Segments of each schema, each schema's first upload after its predecessor's. */
function uploadsOf(schemas: readonly Schema[]): readonly SegmentSchema[] {
  return schemas.map(({ fields }) => segment(fields));
}

/** Permutes by sorting along random numbers, then cuts into batches. */
function batches<T>(items: readonly T[], order: readonly number[], size: number): readonly (readonly T[])[] {
  const shuffled = items
    .map((item, index) => ({ item, at: order[index % order.length] ?? 0 }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
  return Array.from({ length: Math.ceil(items.length / size) }, (_, batch) =>
    shuffled.slice(batch * size, (batch + 1) * size),
  );
}

/** What the table is, order and nullability aside: ID → parent, role, name, type. */
function contents(table: EvolvingTable) {
  return Object.fromEntries(
    columnsOf(table.state().currentSchema)
      .values()
      .map(({ id, parentId, role, name, type }) => [id, { parentId, role, name, type }]),
  );
}

function expectReadable({ schema }: SegmentSchema, table: EvolvingTable): void {
  const current = columnsOf(table.state().currentSchema);
  for (const column of columnsOf(schema).values()) {
    const held = current.get(column.id);
    if (held === undefined) continue;
    expect([held.parentId, held.role]).toEqual([column.parentId, column.role]);
    expect(column.type === held.type || isSameOrPromotion(column.type, held.type)).toBe(true);
  }
}

const order = fc.array(fc.nat(), { minLength: 20, maxLength: 20 });

describe('mergeSchemas, for any dataset', () => {
  test('the same segments in any order and any batches give the same IDs, types and names, and none is refused', () => {
    fc.assert(
      fc.property(steps, order, fc.integer({ min: 1, max: 4 }), (changes, permutation, size) => {
        const uploads = uploadsOf(lineage(changes));
        const inOrder = createdTable(uploads[0] as SegmentSchema);
        for (const upload of uploads) expect(complaints(inOrder.register([upload]))).toEqual([]);

        const arrivals = batches(uploads, permutation, size);
        const first = arrivals[0]?.toSorted((a, b) => a.lastModifiedMs - b.lastModifiedMs)[0];
        const anyOrder = createdTable(first as SegmentSchema);
        for (const batch of arrivals) expect(complaints(anyOrder.register(batch))).toEqual([]);

        expect(contents(anyOrder)).toEqual(contents(inOrder));
      }),
      { numRuns: 200 },
    );
  });

  test('a table follows its dataset: under the newest schema’s IDs stand its names and types', () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const schemas = lineage(changes);
        const uploads = uploadsOf(schemas);
        const table = createdTable(uploads[0] as SegmentSchema);
        table.register(uploads);
        const newest = columnsOf(schemas.at(-1) as Schema);
        const held = contents(table);
        for (const { id, parentId, role, name, type } of newest.values()) {
          expect(held[id]).toEqual({ parentId, role, name, type });
        }
      }),
      { numRuns: 200 },
    );
  });

  test('mixed fleets: schemas that were followed come back at any time, and change nothing', () => {
    fc.assert(
      fc.property(steps, order, (changes, returns) => {
        const schemas = lineage(changes);
        const table = createdTable(uploadsOf(schemas)[0] as SegmentSchema);
        schemas.forEach((schema, index) => {
          table.register([segment(schema.fields)]);
          const before = contents(table);
          const old = schemas[(returns[index % returns.length] ?? 0) % (index + 1)] as Schema;
          const merge = table.register([segment(old.fields)]);
          expect(complaints(merge)).toEqual([]);
          expect(contents(table)).toEqual(before);
        });
      }),
      { numRuns: 200 },
    );
  });

  test('whatever comes, every accepted segment still reads, and last-column-id never falls', () => {
    fc.assert(
      fc.property(
        steps,
        order,
        fc.array(fc.tuple(fc.nat(1000), fc.nat(4), fc.boolean()), { minLength: 1, maxLength: 10 }),
        fc.constantFrom('checked', 'stable'),
        (changes, permutation, mutations, fieldIds) => {
          const schemas = lineage(changes);
          const strays = mutations.map(([pick, kind]) =>
            mutated(schemas[pick % schemas.length] as Schema, pick, kind),
          );
          const uploads = uploadsOf([...schemas, ...strays]);
          const table = createdTable(uploads[0] as SegmentSchema);
          const accepted: SegmentSchema[] = [];
          let lastColumnId = 0;
          for (const batch of batches(uploads, permutation, 3)) {
            const { refused } = table.register(batch, { fieldIds });
            accepted.push(...batch.filter(({ uri }) => !refused.has(uri)));
            for (const upload of accepted) expectReadable(upload, table);
            const state = table.state();
            expect(state.lastColumnId).toBeGreaterThanOrEqual(lastColumnId);
            expect(state.lastColumnId).toBeGreaterThanOrEqual(highestFieldId(state.currentSchema));
            lastColumnId = state.lastColumnId;
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
