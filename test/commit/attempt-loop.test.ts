import { describe, expect, test } from 'vitest';
import { assertions } from '../../lib/commit/assertions.ts';
import { type Attempt, commitInAttempts, type StagedCommit } from '../../lib/commit/attempt-loop.ts';
import type { CommitResult, LoadedTable } from '../../lib/ports.ts';
import type { TableState } from '../../lib/spec/table-state.ts';
import { snapshot, tableState, tableWithHistory } from '../fakes/table-state.ts';

const OURS = 42n;
const conflict: CommitResult = { outcome: 'refused', reason: 'conflict', message: 'branch main has changed' };
const invalid: CommitResult = { outcome: 'refused', reason: 'invalid', message: 'unknown action' };
const throttled = (retryAfterMs: number | undefined): CommitResult => ({
  outcome: 'refused',
  reason: 'throttled',
  message: '429',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});
const unknown: CommitResult = { outcome: 'unknown', message: '502 Bad Gateway' };
const table: LoadedTable = { metadataLocation: 's3://lake/landed.json', metadata: {}, config: {} };
const landed: CommitResult = { outcome: 'landed', table };

const base = tableWithHistory([snapshot(1n)]);
const later = (id: bigint, parent = 1n): TableState => ({
  ...tableWithHistory([snapshot(1n), { ...snapshot(id), parentSnapshotId: parent }]),
  metadataLocation: `s3://lake/${id}.json`,
});

/** One run of the loop against scripted answers: what the catalog says, what each reload shows. */
async function run(script: {
  readonly answers: readonly CommitResult[];
  readonly reloads?: readonly TableState[];
  /** What the answers to commits that are said to have landed hold; without it our snapshot. */
  readonly answered?: TableState[];
  readonly initial?: TableState;
  readonly fresh?: boolean;
  readonly stage?: (attempt: Attempt) => 'nothing' | 'reload' | undefined;
  readonly remainingMs?: () => number;
  readonly maxAttempts?: number;
  readonly jitter?: number;
}) {
  const answers = [...script.answers];
  const reloads = [...(script.reloads ?? [])];
  const attempts: Attempt[] = [];
  const sleeps: number[] = [];
  const steps: string[] = [];
  const replaced: TableState[] = [];
  const end = commitInAttempts<string>(
    {
      catalog: {
        commit: async () => {
          steps.push('commit');
          return answers.shift() ?? conflict;
        },
      },
      timers: {
        sleep: async (ms) => {
          steps.push('sleep');
          sleeps.push(ms);
        },
      },
      random: { next: () => 0.5, uuid: () => 'u' },
    },
    {
      table: base.identifier,
      branch: 'main',
      initial: { state: script.initial ?? base, fresh: script.fresh ?? true },
      reload: async (before) => {
        steps.push('reload');
        replaced.push(before);
        return reloads.shift() ?? { ...base };
      },
      read: () => script.answered?.shift() ?? later(OURS),
      stage: async (attempt): Promise<StagedCommit<string> | 'nothing' | 'reload'> => {
        attempts.push(attempt);
        return (
          script.stage?.(attempt) ?? {
            commit: { requirements: [], updates: [] },
            snapshotId: OURS,
            result: `attempt ${attempt.number}`,
          }
        );
      },
      retry: {
        maxAttempts: script.maxAttempts ?? 5,
        initialMs: 100,
        maxMs: 1_000,
        jitter: script.jitter ?? 1,
      },
      remainingMs: script.remainingMs ?? (() => 60_000),
    },
  );
  return { end: await end.catch((error: unknown) => error), attempts, sleeps, steps, replaced };
}

describe('commitInAttempts: the three ends of a commit (I7)', () => {
  test('landed at once: no reload, no wait', async () => {
    const { end, attempts, sleeps } = await run({ answers: [landed] });
    expect(end).toMatchObject({ outcome: 'landed', attempts: 1, result: 'attempt 1' });
    expect([attempts.length, sleeps.length]).toEqual([1, 0]);
  });

  test('a conflict stages again on the reloaded state, under the next number (I1)', async () => {
    const { end, attempts } = await run({ answers: [conflict, landed], reloads: [later(2n)] });
    expect(end).toMatchObject({ outcome: 'landed', attempts: 2 });
    expect(attempts.map(({ number, fresh }) => [number, fresh])).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(attempts[1]?.state.refs['main']?.snapshotId).toBe(2n);
  });

  test('a reload is told which state it replaces, so that it need not parse that again', async () => {
    const second = later(2n);
    const { replaced } = await run({
      answers: [conflict, conflict, landed],
      reloads: [second, later(3n)],
    });
    expect(replaced).toEqual([base, second]);
    expect(replaced[1]).toBe(second);
  });

  test('a conflict of a cached state is staged again without a wait', async () => {
    const { sleeps } = await run({ answers: [conflict, landed], reloads: [later(2n)], fresh: false });
    expect(sleeps).toEqual([]);
  });

  test('a wait comes before the load, or the state that is staged next is as old as the wait is long (I8)', async () => {
    for (const answer of [conflict, unknown]) {
      const { steps } = await run({ answers: [answer, landed], reloads: [later(2n)] });
      expect(steps).toEqual(['commit', 'sleep', 'reload', 'commit']);
    }
  });

  test('waits double, with jitter, up to the most', async () => {
    const reloads = [2n, 3n, 4n, 5n, 6n].map((id) => later(id));
    const { end, sleeps } = await run({ answers: [], reloads, maxAttempts: 5 });
    expect(sleeps).toEqual([50, 100, 200, 400, 500]);
    expect(end).toMatchObject({
      code: 'catalog.conflict',
      retryable: true,
      message: expect.stringMatching(/within 5 attempts.*"branch main has changed"/),
    });
  });

  test.each([
    [0, 100],
    [0.2, 90],
    [1, 50],
  ])('a jitter of %d leaves the rest of the wait as it is', async (jitter, waitMs) => {
    const { sleeps } = await run({ answers: [conflict, landed], reloads: [later(2n)], jitter });
    expect(sleeps).toEqual([waitMs]);
  });

  test('the same conflict twice on unchanged metadata is a refusal (cases.md D6)', async () => {
    const { end, attempts } = await run({
      answers: [conflict, conflict, conflict],
      reloads: [base, base, base],
    });
    expect(end).toMatchObject({ code: 'catalog.refused' });
    expect(attempts.length).toBe(2);
  });

  test('two conflicts on unchanged metadata with another answer between them are no refusal', async () => {
    for (const between of [unknown, throttled(1)]) {
      const { end } = await run({
        answers: [conflict, between, conflict, landed],
        reloads: [base, base, base],
      });
      expect(end).toMatchObject({ outcome: 'landed', attempts: 4 });
    }
  });

  test('an invalid request on a state loaded now is a refusal; on a cached one it is staged once more', async () => {
    expect((await run({ answers: [invalid] })).end).toMatchObject({ code: 'catalog.refused' });
    // An older Java catalog answers 400 when another branch took the sequence number in between.
    expect((await run({ answers: [invalid, landed], reloads: [later(2n)] })).end).toMatchObject({
      outcome: 'landed',
    });
    const once = await run({ answers: [invalid, landed], fresh: false, reloads: [later(2n)] });
    expect(once.end).toMatchObject({ outcome: 'landed', attempts: 2 });
    const twice = await run({ answers: [invalid, invalid], fresh: false, reloads: [base] });
    expect(twice.end).toMatchObject({ code: 'catalog.refused' });
  });

  test('a catalog that throttles is asked again, no sooner than it says', async () => {
    const { end, sleeps, steps } = await run({
      answers: [throttled(7_000), throttled(undefined), landed],
      fresh: false,
    });
    expect(end).toMatchObject({ outcome: 'landed', attempts: 3 });
    expect(sleeps).toEqual([7_000, 100]);
    expect(steps.slice(0, 4)).toEqual(['commit', 'sleep', 'reload', 'commit']);
  });

  test('a catalog that asks to wait longer than the invocation has is catalog.unavailable, at once', async () => {
    const { end, sleeps } = await run({ answers: [throttled(58_000)] });
    expect(end).toMatchObject({
      code: 'catalog.unavailable',
      retryable: true,
      context: { retryAfterMs: 58_000 },
      message: expect.stringContaining('wait 58 s'),
    });
    expect(sleeps).toEqual([]);
  });

  test.each([1, undefined])(
    'throttling to the last attempt is catalog.unavailable, and no conflict or refusal (%s ms)',
    async (askedMs) => {
      const { end, attempts } = await run({
        answers: Array(3).fill(throttled(askedMs)),
        reloads: [base, base],
        maxAttempts: 3,
      });
      expect(end).toMatchObject({ code: 'catalog.unavailable' });
      expect(attempts).toHaveLength(3);
    },
  );

  test('a table that is gone is table.missing', async () => {
    const { end } = await run({
      answers: [{ outcome: 'refused', reason: 'missing', message: 'no such table' }],
    });
    expect(end).toMatchObject({ code: 'table.missing' });
  });

  test('unknown, and our snapshot is in the metadata: landed, nothing is sent again', async () => {
    const { end, attempts } = await run({ answers: [unknown], reloads: [later(OURS)] });
    expect(end).toMatchObject({ outcome: 'landed', attempts: 1 });
    expect(attempts.length).toBe(1);
  });

  test('said to have landed, in metadata without our snapshot: unknown, and settled by looking (D18)', async () => {
    const seen = await run({ answers: [landed], answered: [later(2n)], reloads: [later(OURS)] });
    expect(seen.end).toMatchObject({ outcome: 'landed', attempts: 1 });
    const lost = await run({ answers: [landed, landed], answered: [later(2n)], reloads: [later(2n)] });
    expect(lost.end).toMatchObject({ outcome: 'landed', attempts: 2 });
    expect(lost.steps).toEqual(['commit', 'sleep', 'reload', 'commit']);
  });

  test('unknown, landed and overtaken by another commit: landed', async () => {
    const overtaken = tableWithHistory([snapshot(1n), snapshot(OURS), snapshot(50n)]);
    expect((await run({ answers: [unknown], reloads: [overtaken] })).end).toMatchObject({
      outcome: 'landed',
    });
  });

  test('unknown, and the head still is the asserted one: staged again, as settled', async () => {
    const { end, attempts } = await run({ answers: [unknown, landed], reloads: [{ ...base }] });
    expect(end).toMatchObject({ outcome: 'landed', attempts: 2 });
    expect(attempts[1]?.afterUnknown).toBe(false);
  });

  test('unknown, and others committed on the asserted head: settled as refused', async () => {
    const { attempts } = await run({ answers: [unknown, landed], reloads: [later(2n)] });
    expect(attempts[1]?.afterUnknown).toBe(false);
  });

  test('unknown on an empty table that is still empty, or has another first snapshot: settled as refused', async () => {
    for (const reloaded of [tableState(), tableWithHistory([snapshot(7n, { sequenceNumber: 1n })])]) {
      const { attempts } = await run({
        answers: [unknown, landed],
        initial: tableState(),
        reloads: [reloaded],
      });
      expect(attempts[1]?.afterUnknown).toBe(false);
    }
  });

  test('unknown on an empty table, and the only snapshot shown is a later one without its parent (Nessie): ours may be before it', async () => {
    const { attempts } = await run({
      answers: [unknown, landed],
      initial: tableState(),
      reloads: [tableWithHistory([snapshot(7n, { sequenceNumber: 2n })])],
    });
    expect(attempts[1]?.afterUnknown).toBe(true);
  });

  test('unknown, and history has expired past the asserted head, or the branch has none: the next attempt knows that absence may be its own commit', async () => {
    const expired = tableWithHistory([{ ...snapshot(9n), parentSnapshotId: 8n }]);
    for (const reloaded of [expired, tableState()]) {
      const { attempts } = await run({ answers: [unknown, landed], reloads: [reloaded] });
      expect(attempts[1]?.afterUnknown).toBe(true);
    }
  });

  /**
   * Rule: a file of an attempt that may have landed is never used again. Landed unheard, rolled back and expired, its
   * manifests are deleted; a later snapshot that names them cannot be read.
   */
  test('the next attempt is told whether this one is proven not to have landed', async () => {
    const mayHaveLanded = async (answer: CommitResult, reloaded: TableState) =>
      (await run({ answers: [answer, landed], reloads: [reloaded] })).attempts[1]?.mayHaveLanded;
    const expired = { ...base, lastSequenceNumber: 2n };
    expect(await mayHaveLanded(conflict, later(2n)), 'another has its sequence number').toBe(false);
    expect(await mayHaveLanded(conflict, { ...base, metadataLocation: 'x' }), 'nobody has it').toBe(false);
    const withOurs = tableWithHistory([snapshot(1n), snapshot(OURS, { sequenceNumber: 2n })]);
    expect(await mayHaveLanded(conflict, withOurs), 'it landed, and the answer was for its repetition').toBe(
      true,
    );
    const inVersion1 = tableState({ ...base, formatVersion: 1, lastSequenceNumber: 0n });
    expect(await mayHaveLanded(conflict, inVersion1), 'version 1 has no sequence numbers').toBe(true);
    expect(await mayHaveLanded(conflict, expired), 'whoever had it has expired').toBe(true);
    expect(await mayHaveLanded(unknown, { ...base }), 'it may still be on its way').toBe(true);
  });

  test('a stage that wants a loaded state gets one, and only then', async () => {
    const { end, attempts } = await run({
      answers: [landed],
      fresh: false,
      reloads: [later(2n)],
      stage: ({ fresh }) => (fresh ? undefined : 'reload'),
    });
    expect(end).toMatchObject({ outcome: 'landed', attempts: 1 });
    expect(attempts.map(({ fresh }) => fresh)).toEqual([false, true]);
    expect(attempts[1]?.state.refs['main']?.snapshotId).toBe(2n);
  });

  test('nothing to commit sends nothing', async () => {
    const { end } = await run({ answers: [], stage: () => 'nothing' });
    expect(end).toMatchObject({ outcome: 'nothing', attempts: 0 });
  });

  test('no attempt is begun without the time for an answer', async () => {
    const { end, attempts } = await run({ answers: [landed], remainingMs: () => 1_000 });
    expect(end).toMatchObject({ code: 'invocation.timeout' });
    expect(attempts).toEqual([]);
    const left = [60_000, 1_000];
    const second = await run({ answers: [], reloads: [later(2n)], remainingMs: () => left.shift() ?? 0 });
    expect(second.end).toMatchObject({ code: 'catalog.conflict' });
    expect(second.attempts).toHaveLength(1);
  });
});

describe('assertions: what was checked is what is asserted (I8)', () => {
  test('names UUID, head, current schema and default spec', () => {
    expect(assertions(base, 'main', [])).toEqual([
      { type: 'assert-table-uuid', uuid: base.uuid },
      { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': 1n },
      { type: 'assert-current-schema-id', 'current-schema-id': 0 },
      { type: 'assert-default-spec-id', 'default-spec-id': 0 },
    ]);
  });

  test('the current schema of a table of version 1 without schema IDs is 0', () => {
    const state = { ...base, currentSchema: { type: 'struct', fields: [] } } as const;
    expect(assertions(state, 'main', [])).toContainEqual({
      type: 'assert-current-schema-id',
      'current-schema-id': 0,
    });
  });

  test('with a schema change also the last field ID', () => {
    const update = { action: 'add-schema', schema: base.currentSchema, 'last-column-id': 7 } as const;
    expect(assertions({ ...base, lastColumnId: 7 }, 'main', [update])).toContainEqual({
      type: 'assert-last-assigned-field-id',
      'last-assigned-field-id': 7,
    });
  });

  test('a branch without a head asserts null, and every other ref seen', () => {
    const tagged = tableState({ refs: { old: { type: 'tag', snapshotId: 3n } } });
    expect(assertions(tagged, 'main', [])).toEqual(
      expect.arrayContaining([
        { type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': null },
        { type: 'assert-ref-snapshot-id', ref: 'old', 'snapshot-id': 3n },
      ]),
    );
  });
});
