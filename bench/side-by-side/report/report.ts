import { type Figure, holds, type Row, type Section } from './section.ts';

/** A section as text: its table, and each target with PASS or the shortfall. */
export function sectionText(section: Section): string {
  return [
    `${section.id}: ${section.title}`,
    ...tableText(section.rows),
    ...section.figures.map(figureText),
  ].join('\n');
}

/** A section as Markdown. */
export function sectionMarkdown({ title, rows, figures }: Section): string {
  const headings = columnsOf(rows);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const reached = figures.map(
    (figure) =>
      `| ${figure.what} | ${figure.must.replace('be', '').trim()} ${exact(figure.limit)} | ${exact(figure.measured)} | ${holds(figure) ? 'yes' : '**no**'} |`,
  );
  return [
    `### ${title[0]?.toUpperCase()}${title.slice(1)}`,
    '',
    line(headings),
    line(headings.map((_, at) => (at === 0 ? '---' : '---:'))),
    ...rows.map((row) => line(headings.map((heading) => cell(row[heading])))),
    '',
    '| figure | wanted | measured | reached |',
    '|---|---:|---:|---|',
    ...reached,
  ].join('\n');
}

/** The last line of a run. */
export function summaryText(sections: readonly Section[], errors: readonly string[]): string {
  const figures = sections.flatMap((section) => section.figures);
  const short = figures.filter((figure) => !holds(figure)).length;
  const verdict = short + errors.length === 0 ? 'held' : 'NOT HELD';
  const failed = errors.length === 0 ? '' : `, ${errors.length} cases failed`;
  return `${verdict}: ${figures.length - short} of ${figures.length} figures reached in ${sections.length} cases${failed}`;
}

function figureText(figure: Figure): string {
  const { what, measured, must, limit } = figure;
  const verdict = holds(figure) ? 'PASS' : `SHORT by ${exact(Math.abs(measured - limit))}`;
  return `  ${what}: ${exact(measured)}, must ${must} ${exact(limit)}: ${verdict}`;
}

function tableText(rows: readonly Row[]): readonly string[] {
  const headings = columnsOf(rows);
  const lines = [headings, ...rows.map((row) => headings.map((heading) => cell(row[heading])))];
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines.map((line) =>
    line
      .map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)))
      .join('  '),
  );
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(row)))];
}

function cell(value: Row[string]): string {
  return typeof value === 'number' ? shown(value) : (value ?? '');
}

/** Up to three decimals, so that a value which misses its target does not look equal to the limit. */
function exact(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 3 });
}

/** Three significant digits, but never fewer than the integer part has. */
function shown(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en');
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en', { maximumFractionDigits: Math.min(digits, 3) });
}
