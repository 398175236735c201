import { describe, expect, test } from 'vitest';
import { rotatingCatalog, rotatingStore, rotations } from '../../lib/drivers/rotation.ts';
import { RegistrarError } from '../../lib/errors.ts';
import type { Catalog, Store } from '../../lib/ports.ts';

interface Settings {
  readonly secret: string;
}

/** Services that take the secret `valid` alone, and where secrets are read from. */
function world(first = 'old') {
  const state = { stored: first, valid: first, nowMs: 0, reads: 0, made: 0, failures: [] as unknown[] };
  const [rotation] = rotations<Settings>(
    [{ secret: first }],
    async () => {
      state.reads += 1;
      if (state.stored === 'unreadable') throw new Error('no such secret');
      return [{ secret: state.stored }];
    },
    { now: () => state.nowMs },
    (error) => state.failures.push(error),
  );
  if (rotation === undefined) throw new Error('Expected a rotation');
  const guard = ({ secret }: Settings) => {
    if (secret !== state.valid) throw new RegistrarError('auth.failed', `refused: ${secret.length} letters`);
  };
  const { catalog } = rotatingCatalog(rotation, (settings) => {
    state.made += 1;
    return { load: async () => guard(settings) } as unknown as Catalog;
  });
  const store = rotatingStore(rotation, (settings) => ({
    ...({} as Store),
    read: async () => {
      guard(settings);
      return { kind: 'missing' } as const;
    },
    async *list(prefix) {
      guard(settings);
      yield { uri: `${prefix}1`, sizeBytes: 1, version: 'v', lastModifiedMs: 0 };
      yield { uri: `${prefix}2`, sizeBytes: 1, version: 'v', lastModifiedMs: 0 };
    },
  }));
  return { state, catalog, store };
}

const table = { namespace: ['a'], name: 't' };
const minute = 60_000;

describe('a refused secret', () => {
  test('is read anew, and the call goes on with what was rotated in', async () => {
    const { state, catalog, store } = world();
    Object.assign(state, { stored: 'new', valid: 'new', nowMs: minute });
    await catalog.load(table);
    expect(await store.read('s3://lake/a')).toStrictEqual({ kind: 'missing' });
    const listed = await Array.fromAsync(store.list('s3://lake/'));
    expect(listed.map(({ uri }) => uri)).toStrictEqual(['s3://lake/1', 's3://lake/2']);
    expect(state).toMatchObject({ reads: 1, made: 2 });
  });

  test('that has not changed stays refused, and nothing is made anew', async () => {
    const { state, catalog } = world();
    Object.assign(state, { valid: 'another', nowMs: minute });
    await expect(catalog.load(table)).rejects.toMatchObject({ code: 'auth.failed' });
    expect(state).toMatchObject({ reads: 1, made: 1 });
  });

  test('is read anew once a minute at most, however many calls are refused', async () => {
    const { state, catalog, store } = world();
    Object.assign(state, { valid: 'another', nowMs: minute });
    const calls = [catalog.load(table), catalog.load(table), store.read('s3://lake/a')];
    for (const result of await Promise.allSettled(calls)) expect(result.status).toBe('rejected');
    await expect(catalog.load(table)).rejects.toThrow();
    expect(state.reads).toBe(1);
    state.nowMs += minute;
    await expect(catalog.load(table)).rejects.toThrow();
    expect(state.reads).toBe(2);
  });

  test('that cannot be read is the refusal it was, and the reason is told', async () => {
    const { state, catalog } = world();
    Object.assign(state, { stored: 'unreadable', valid: 'another', nowMs: minute });
    await expect(catalog.load(table)).rejects.toMatchObject({ code: 'auth.failed' });
    expect(state.failures).toMatchObject([{ message: 'no such secret' }]);
  });
});

test('what is not auth.failed reads nothing anew', async () => {
  const { state, store } = world();
  state.nowMs = minute;
  await store.read('s3://lake/a');
  expect(state.reads).toBe(0);
});
