import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { findingsTable } from '../../cli/findings-table.ts';
import type { Finding } from '../../lib/jobs/doctor/finding.ts';

const catalog = { check: 'catalog', state: 'ok', found: 'it answers' } as const;

function rowsOf(findings: readonly Finding[]): readonly (readonly string[])[] {
  return stripVTControlCharacters(findingsTable(findings))
    .split('\n')
    .filter((line) => line.startsWith('│'))
    .map((line) =>
      line
        .split('│')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('findingsTable', () => {
  test('says once what was found of several entries, with their numbers', () => {
    const denied = { check: 'segments', state: 'failed', found: 'denied', wayOut: 'allow it' } as const;
    const of = [1, 2, 3, 4, 5, 6, 7];
    const findings: Finding[] = [
      { entry: 0, check: 'versions', state: 'ok', found: '0.1.0' },
      ...of.flatMap((entry) => [
        { entry, ...catalog, ...(entry === 4 && { found: 'another answers' }) },
        ...(entry === 2 ? [{ entry, ...denied }] : []),
      ]),
    ];
    expect(rowsOf(findings)).toEqual([
      ['entry', 'check', 'state', 'found'],
      ['', 'versions', 'ok', '0.1.0'],
      ['1–3, 5–7', 'catalog', 'ok', 'it answers'],
      ['2', 'segments', 'failed', 'denied'],
      ['', '', '', '→ allow it'],
      ['4', 'catalog', 'ok', 'another answers'],
    ]);
  });

  test('numbers no entry where there is one', () => {
    expect(rowsOf([{ entry: 1, ...catalog }])).toEqual([
      ['check', 'state', 'found'],
      ['catalog', 'ok', 'it answers'],
    ]);
  });
});
