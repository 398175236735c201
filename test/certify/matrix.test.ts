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

  test('have anchors of their own and public sources', () => {
    expect(new Set(explanations.map(({ anchor }) => anchor)).size).toBe(explanations.length);
    for (const { sources } of explanations) {
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) expect(new URL(source).protocol).toBe('https:');
    }
  });
});
