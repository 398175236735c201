import { expect } from 'vitest';
import type { Schema } from '../../lib/spec/schema.ts';
import { branchHead } from '../../lib/spec/table-state.ts';
import type { Lake } from '../integration/schema/lake.ts';
import { type DialectWorld, kindOf } from './dialect.ts';

const first: Schema = {
  type: 'struct',
  fields: [
    { id: 10, name: 'id', required: false, type: 'long' },
    {
      id: 20,
      name: 'place',
      required: false,
      type: { type: 'struct', fields: [{ id: 77, name: 'city', required: false, type: 'string' }] },
    },
  ],
};
export const second: Schema = {
  ...first,
  fields: [...first.fields, { id: 30, name: 'amount', required: false, type: 'double' }],
};

const row = (id: bigint) => ({ id, place: { city: `city ${id}` } });

/** Ships one segment for whether anything can be registered at all. */
export function offerOne(lake: Lake) {
  return lake.offer(first, [row(1n)]);
}

/**
 * What must hold on every catalog: a table with the dataset's own IDs from its first segment, evolution in the commit that needs it, a
 * redelivery that changes nothing, a commit over a cache that others made stale, and one whose answer is lost.
 */
export async function tellStory(lake: Lake, world: Pick<DialectWorld, 'fault'>): Promise<void> {
  await lake.ship(first, [row(1n)], '1.parquet');
  await lake.ship(second, [{ ...row(2n), amount: 2.5 }], '2.parquet');
  expect((await lake.state()).currentSchema.fields).toMatchObject(second.fields);

  expect(await lake.register(['1.parquet', '2.parquet'])).toMatchObject([
    { kind: 'already-registered' },
    { kind: 'already-registered' },
  ]);

  const other = await lake.another();
  await other.ship(second, [{ ...row(3n), amount: null }], '3.parquet');
  await lake.ship(second, [{ ...row(4n), amount: null }], '4.parquet');

  world.fault = (request) => {
    if (kindOf(request) !== 'commit') return undefined;
    world.fault = undefined;
    return { when: 'after', answer: { status: 503, body: '<html>gateway</html>' } };
  };
  await lake.ship(second, [{ ...row(5n), amount: null }], '5.parquet');
  expect(world.fault).toBeUndefined();

  await lake.state();
  const state = await lake.state();
  expect(state.lastSequenceNumber).toBe(5n);
  expect(branchHead(state, 'main')?.summary).toMatchObject({
    'total-data-files': '5',
    'total-records': '5',
  });
}
