import type { Cell } from './cell.ts';
import { explanationOf, explanations } from './explanations.ts';
import { type Certification, matrixOf, sum, verdict } from './matrix.ts';

/** The part of docs/compatibility.md that a run writes. */
export function markdownMatrix(certification: Certification): string {
  const { at, engines, sections, seconds } = certification;
  const order = engines.map(({ name }) => name);
  const all = sections.flatMap(({ cells }) => cells);
  const used = new Set(all.map(explanationOf));
  return [
    `${verdict(certification).line}, on ${at.slice(0, 10)} in ${Math.round(seconds / 60)} minutes.`,
    table(
      ['engine', 'version', 'green', 'red, explained'],
      engines.map(({ name, version = 'not run' }) => {
        const { cells, green, explained } = sum(all.filter(({ engine }) => engine === name));
        return [name, version, `${green} of ${cells}`, String(explained)];
      }),
    ),
    ...sections.flatMap((section) => {
      const { engines: columns, rows } = matrixOf(section, order);
      return [
        `## ${section.title}`,
        table(
          ['', ...columns],
          rows.map(({ feature, cells }) => [feature, ...cells.map(symbol)]),
        ),
      ];
    }),
    '## What is red, and why',
    ...explanations
      .filter(({ anchor }) => used.has(anchor))
      .map(
        ({ anchor, title, text, sources }) =>
          `<a id="${anchor}"></a>\n\n### ${title}\n\n${text}\n\n${sources.map((source) => `[${sourceName(source)}](${source})`).join(' · ')}`,
      ),
    '',
  ].join('\n\n');
}

function symbol(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  if (cell.outcome === 'green') return '✓';
  if (cell.outcome === 'not-run') return '**not run**';
  const anchor = explanationOf(cell);
  return anchor === undefined ? '**✗**' : `[✗](#${anchor})`;
}

/** `owner/repo#1` for an issue, else the file's name or the page's host. */
export function sourceName(source: string): string {
  const { hostname, pathname } = new URL(source);
  const [, owner, repository, kind, number = ''] = pathname.split('/');
  if (hostname !== 'github.com') return hostname;
  return kind === 'blob' ? (pathname.split('/').at(-1) ?? '') : `${owner}/${repository}#${number}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
