import { describe, expect, test } from 'vitest';
import type { Cell } from '../../certify/cell.ts';
import { explanationOf, explanations } from '../../certify/explanations.ts';
import { markdownMatrix } from '../../certify/markdown-matrix.ts';
import { unexplained, verdict } from '../../certify/matrix.ts';

const green: Cell = { feature: 'int', engine: 'Spark', outcome: 'green' };
const explained: Cell = {
  feature: 'time',
  engine: 'Spark',
  outcome: 'red',
  differences: ['error: Spark does not support time fields'],
};
const other: Cell = { ...explained, differences: [...(explained.differences ?? []), 'row 1 is missing'] };
const notRun: Cell = { feature: 'int', engine: 'Daft', outcome: 'not-run', detail: 'it did not start' };

const certification = (...cells: readonly Cell[]) => ({
  at: '2026-01-01T00:00:00Z',
  seconds: 60,
  engines: [{ name: 'Spark', version: '4' }],
  sections: [{ name: 'types', title: 'Types', cells }],
});

describe('a certification', () => {
  test('passes with green and explained cells', () => {
    expect(verdict(certification(green, explained))).toEqual({
      line: '2 cells: 1 green, 1 red and explained, 0 red and not explained',
      passed: true,
    });
  });

  test('fails with a cell that was not run, and with one of whose differences only some are explained', () => {
    expect(verdict(certification(green, notRun, other))).toEqual({
      line: '3 cells: 1 green, 0 red and explained, 2 red and not explained',
      passed: false,
    });
    expect(unexplained(certification(green, notRun))).toEqual([
      'NOT-RUN  Daft: Types: int: it did not start',
    ]);
  });

  test('fails when nothing is green', () => {
    expect(verdict(certification(explained)).passed).toBe(false);
  });

  test('is a table whose red cells lead to their explanation on the page', () => {
    const page = markdownMatrix(certification(green, explained));
    expect(page).toContain('| time | [✗](#spark-time) |');
    expect(page).toContain('<a id="spark-time"></a>');
  });
});

describe('explanations', () => {
  test('are told apart by engine', () => {
    expect(explanationOf(explained)).toBe('spark-time');
    expect(explanationOf({ ...explained, engine: 'Trino' })).toBeUndefined();
  });

  test('are of red cells: one that was not run has none, whatever kept it', () => {
    const [why = ''] = explained.differences ?? [];
    expect(explanationOf({ ...explained, outcome: 'not-run', detail: why })).toBeUndefined();
  });

  test('excuse Spark’s table cache, and no stale table after a refresh or thirty quiet seconds', () => {
    const stale = (feature: string): Cell => ({
      feature: `${feature}, with Spark’s default cache-enabled=true`,
      engine: 'Spark',
      outcome: 'red',
      differences: ['20 of 40 rows'],
    });
    const explained = [
      'a commit of the registrar is seen by the next query',
      'it is seen by a session that reads every 5 s, after 30 s',
    ];
    const open = ['it is seen after REFRESH TABLE', 'it is seen by a session that reads nothing for 30 s'];
    expect(explained.map(stale).map(explanationOf)).toEqual(['spark-table-cache', 'spark-table-cache']);
    expect(open.map(stale).map(explanationOf)).toEqual([undefined, undefined]);
    expect(explanationOf({ ...stale(''), feature: explained[0] ?? '' })).toBeUndefined();
  });

  test('have anchors of their own and public sources', () => {
    expect(new Set(explanations.map(({ anchor }) => anchor)).size).toBe(explanations.length);
    for (const { sources } of explanations) {
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) expect(new URL(source).protocol).toBe('https:');
    }
  });
});
