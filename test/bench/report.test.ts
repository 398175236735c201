import { expect, test } from 'vitest';
import { plotOf } from '../../bench/side-by-side/report/plot.ts';
import { sectionMarkdown, sectionText, summaryText } from '../../bench/side-by-side/report/report.ts';
import type { Section } from '../../bench/side-by-side/report/section.ts';

const section: Section = {
  id: 'small',
  title: 'a small table',
  rows: [
    { contender: 'ours', commits: 100, 'p50 ms': 51.236, '÷ ours': 1 },
    { contender: 'Java', commits: 5, 'p50 ms': 1843.71 },
  ],
  figures: [
    { what: 'ours ÷ floor', measured: 1.204, must: 'be at most', limit: 1.2 },
    { what: 'Java ÷ ours', measured: 36, must: 'be at least', limit: 3.3 },
  ],
};

test('sectionText lines columns up, and tells PASS or the shortfall', () => {
  expect(sectionText(section)).toBe(
    [
      'small: a small table',
      'contender  commits  p50 ms  ÷ ours',
      'ours           100    51.2       1',
      'Java             5   1,844        ',
      '  ours ÷ floor: 1.204, must be at most 1.2: SHORT by 0.004',
      '  Java ÷ ours: 36, must be at least 3.3: PASS',
    ].join('\n'),
  );
});

test('sectionMarkdown has both tables', () => {
  expect(sectionMarkdown(section)).toContain('| ours ÷ floor | at most 1.2 | 1.204 | **no** |');
  expect(sectionMarkdown(section)).toContain('| Java | 5 | 1,844 |  |');
});

test('summaryText counts figures, and a failed case never holds', () => {
  expect(summaryText([section], [])).toBe('NOT HELD: 1 of 2 figures reached in 1 cases');
  const reached = { ...section, figures: section.figures.slice(1) };
  expect(summaryText([reached], [])).toBe('held: 1 of 1 figures reached in 1 cases');
  expect(summaryText([reached], ['ten: it failed'])).toContain('NOT HELD');
});

test('plotOf draws a line a contender, and no two labels on one another', () => {
  const ages = ['small', '1000', '5000'].map((id, at) => ({
    ...section,
    id,
    rows: ['ours', 'floor', 'Java'].map((contender, nth) => ({ contender, 'p50 ms': 50 * (at + 1) + nth })),
  }));
  const svg = plotOf(ages);
  if (svg === undefined) throw new Error('no plot');
  expect(svg.match(/<polyline /g)).toHaveLength(3);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  const labels = [...svg.matchAll(/y="([\d.]+)" text-anchor="start" font-size="12"/g)].map(([, y]) =>
    Number(y),
  );
  const gaps = labels
    .toSorted((a, b) => a - b)
    .map((y, at, all) => y - (all[at - 1] ?? Number.NEGATIVE_INFINITY));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(13);
  expect(plotOf([section].map((one) => ({ ...one, id: 'ten' })))).toBeUndefined();
});
