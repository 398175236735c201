import type { TestProject } from 'vitest/node';
import type {} from './capability.ts';

/** Catalog × capability, as the tests of this run showed it; empty where none of them ran. */
export function capabilityMatrix({ vitest }: TestProject): string {
  const cells = new Map<string, Map<string, boolean>>();
  const names = new Set<string>();
  for (const testModule of vitest.state.getTestModules()) {
    for (const one of testModule.children.allTests()) {
      const { capability: shown } = one.meta();
      if (shown === undefined) continue;
      names.add(shown.name);
      const row = cells.get(shown.catalog) ?? new Map<string, boolean>();
      row.set(shown.name, (row.get(shown.name) ?? true) && one.result().state === 'passed');
      cells.set(shown.catalog, row);
    }
  }
  if (cells.size === 0) return '';
  const mark = (passed: boolean | undefined) => (passed === undefined ? '–' : passed ? 'yes' : 'FAILED');
  const rows = [
    ['', ...names],
    ...[...cells].map(([catalog, row]) => [catalog, ...[...names].map((name) => mark(row.get(name)))]),
  ];
  const widths = ['', ...names].map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).join('\n');
}
