import type { TestCase, TestModule, TestProject, TestSuite } from 'vitest/node';
import { type Capability, capabilities } from './capability.ts';
import { catalogs } from './chosen.ts';

/** One test that shows something of a catalog. */
export interface Shown {
  readonly capability: Capability;
  /** `differs`: a known difference, which was found as it is known. */
  readonly end: 'passed' | 'differs' | 'failed' | 'skipped';
}

/** What the tests of this run showed. */
export function shownIn({ vitest }: TestProject): readonly Shown[] {
  return vitest.state
    .getTestModules()
    .flatMap((testModule) => [...testModule.children.allTests()])
    .flatMap((one) => {
      const { capability } = one.meta();
      return capability === undefined ? [] : [{ capability, end: endOf(one) }];
    });
}

function endOf(one: TestCase): Shown['end'] {
  const { state } = one.result();
  if (state === 'passed') return one.options.fails ? 'differs' : 'passed';
  return state === 'skipped' && !isBroken(one.parent) ? 'skipped' : 'failed';
}

/** Whether what prepares the tests of a group has failed: they are skipped then. */
function isBroken(group: TestSuite | TestModule): boolean {
  return group.errors().length > 0 || (group.type === 'suite' && isBroken(group.parent));
}

/** Catalog × capability, a row for every catalog; empty where nothing was shown. */
export function capabilityMatrix(shown: readonly Shown[]): string {
  if (shown.length === 0) return '';
  const names = capabilities.filter((name) => shown.some(({ capability }) => capability.name === name));
  const rows = (['embedded', ...Object.keys(catalogs)] as const).map((catalog) => {
    const own = shown.filter(({ capability }) => capability.catalog === catalog);
    if (own.length === 0) return [catalog, 'NOT RUN'];
    return [catalog, ...names.map((name) => cell(own.filter(({ capability }) => capability.name === name)))];
  });
  const table = [['', ...names], ...rows];
  const widths = ['', ...names].map((_, at) => Math.max(...table.map((row) => (row[at] ?? '').length)));
  const lines = table.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, LEGEND].join('\n');
}

const LEGEND =
  'yes: every test of it passed; “n differ”: known differences, each found as it is known; –: not shown on this catalog';

function cell(shown: readonly Shown[]): string {
  const count = (end: Shown['end']) => shown.filter((one) => one.end === end).length;
  const ran = shown.length - count('skipped');
  if (ran === 0) return '–';
  if (count('failed') > 0) return `FAILED ${count('failed')} of ${ran}`;
  return count('differs') > 0 ? `yes, ${count('differs')} differ` : 'yes';
}
