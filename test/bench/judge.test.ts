import { describe, expect, test } from 'vitest';
import type { Case } from '../../bench/side-by-side/cases.ts';
import type { ContenderName } from '../../bench/side-by-side/contenders/contender.ts';
import type { Answer } from '../../bench/side-by-side/contenders/protocol.ts';
import { judgeCase, judgeFleet, judgeGrowth, judgeRequests } from '../../bench/side-by-side/report/judge.ts';
import { holds, type Section } from '../../bench/side-by-side/report/section.ts';

const one: Case = {
  id: 'small',
  title: 'a case',
  snapshots: 0,
  segmentsACommit: 1,
  warmUp: 0,
  rounds: 3,
  contenders: new Map(),
  delayMs: 0,
  figures: { floor: 1.2, peers: new Map([['Java', 3]]), rssMib: 120 },
};

function answers(...times: readonly number[]): readonly Answer[] {
  return times.map((elapsedMs, at) => ({ elapsedMs, cpuMs: 1, rssMib: 100 + at }));
}

function verdicts({ figures }: Section): Readonly<Record<string, boolean>> {
  return Object.fromEntries(figures.map((figure) => [figure.what, holds(figure)]));
}

describe('judgeCase', () => {
  const measured = (ours: readonly Answer[]) =>
    new Map<ContenderName, readonly Answer[]>([
      ['Java', answers(310, 300, 290)],
      ['ours', ours],
      ['floor', answers(90, 80, 85)],
    ]);

  test('takes medians, and holds at the limits', () => {
    const section = judgeCase(one, measured(answers(100, 1_000, 99)));
    expect(section.figures.map(({ measured }) => measured)).toEqual([100 / 85, 3, 102]);
    expect(verdicts(section)).toEqual({ 'ours ÷ floor': true, 'Java ÷ ours': true, 'our memory, MiB': true });
  });
  test('tells what falls short', () => {
    expect(verdicts(judgeCase(one, measured(answers(110))))).toEqual({
      'ours ÷ floor': false,
      'Java ÷ ours': false,
      'our memory, MiB': true,
    });
  });
  test('judges the most memory, not the last', () => {
    const ours = answers(100, 100).map((answer, at) => ({ ...answer, rssMib: at === 0 ? 121 : 90 }));
    expect(verdicts(judgeCase(one, measured(ours)))['our memory, MiB']).toBe(false);
  });
  test('has its rows fastest first', () => {
    const { rows } = judgeCase(one, measured(answers(100)));
    expect(rows.map((row) => row['contender'])).toEqual(['floor', 'ours', 'Java']);
  });
  test('refuses a contender that was never measured', () => {
    expect(() => judgeCase(one, new Map([['ours', answers(1)]]))).toThrow(RangeError);
  });
});

test('judgeFleet counts conflicts a commit', () => {
  const ours = answers(...Array<number>(19).fill(10), 12).map((answer, at) => ({
    ...answer,
    conflicts: at < 2 ? 1 : 0,
  }));
  expect(verdicts(judgeFleet({ ours, floor: answers(10) }))).toEqual({
    'ours ÷ floor with one load': true,
    'conflicts a commit': false,
  });
});

test('judgeRequests wants one of the catalog and three of the store from ours alone', () => {
  const section = judgeRequests([
    { contender: 'ours', snapshots: 0, catalog: 1, store: 3 },
    { contender: 'ours', snapshots: 1_000, catalog: 1.25, store: 3 },
    { contender: 'Java', snapshots: 0, catalog: 4, store: 7 },
  ]);
  expect(Object.values(verdicts(section))).toEqual([true, true, false, true]);
});

test("judgeGrowth leaves the catalog's own time out, and has merging commits in the mean", () => {
  const grown = (commitMs: number, ...rest: readonly number[]) =>
    rest.map((outside) => ({ elapsedMs: commitMs + outside, commitMs, cpuMs: 1, rssMib: 1 }));
  const section = judgeGrowth([
    { snapshots: 100, ours: grown(30, 10, 10, 10) },
    { snapshots: 10_000, ours: grown(600, 11, 11, 80) },
  ]);
  expect(section.figures.map(({ measured }) => measured)).toEqual([1.1, 3.4]);
  expect(Object.values(verdicts(section))).toEqual([true, false]);
});
