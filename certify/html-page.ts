import type { Cell } from './cell.ts';
import { explanationOf, explanations } from './explanations.ts';
import { sourceName } from './markdown-matrix.ts';
import { type Certification, type CertifiedSection, matrixOf, sum, verdict } from './matrix.ts';

/** A run as one HTML file with the details of each cell, without scripts or external files. */
export function htmlPage(certification: Certification): string {
  const { at, engines, sections, seconds } = certification;
  const order = engines.map(({ name }) => name);
  const all = sections.flatMap(({ cells }) => cells);
  const used = new Set(all.map(explanationOf));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certified tables</title>
<style>${STYLE}</style>
<h1>Certified tables</h1>
<p>${escaped(verdict(certification).line)}; ${at.slice(0, 10)}, ${Math.round(seconds / 60)} minutes.</p>
<table class="engines"><tr><th>engine<th>version<th>green<th>
${engines.map(({ name, version = 'not run' }) => engineRow(name, version, all)).join('\n')}
</table>
${sections.map((section) => sectionTable(section, order)).join('\n')}
<h2>What is red, and why</h2>
${explanations
  .filter(({ anchor }) => used.has(anchor))
  .map(explanation)
  .join('\n')}
</html>
`;
}

function engineRow(name: string, version: string, all: readonly Cell[]): string {
  const { cells, green, explained, open } = sum(all.filter(({ engine }) => engine === name));
  const bar = (count: number, kind: string) =>
    count === 0 ? '' : `<i class="${kind}" style="flex:${count}" title="${count} ${kind}"></i>`;
  return `<tr><td>${escaped(name)}<td>${escaped(version)}<td>${green} of ${cells}<td class="bar">${bar(green, 'green')}${bar(explained, 'explained')}${bar(open, 'red')}`;
}

function sectionTable(section: CertifiedSection, order: readonly string[]): string {
  const { engines, rows } = matrixOf(section, order);
  return `<h2>${escaped(section.title)}</h2>
<div class="wide"><table><tr><th>${engines.map((engine) => `<th>${escaped(engine)}`).join('')}
${rows.map(({ feature, cells }) => `<tr><td>${escaped(feature)}${cells.map(cellOf).join('')}`).join('\n')}
</table></div>`;
}

function cellOf(cell: Cell | undefined): string {
  if (cell === undefined) return '<td class="none">';
  const { outcome, detail = '' } = cell;
  const anchor = explanationOf(cell);
  if (outcome === 'green')
    return `<td class="green" title="${escaped(detail)}">✓ <small>${escaped(figures(detail))}</small>`;
  const mark = outcome === 'red' ? '✗' : 'not run';
  const text = anchor === undefined ? mark : `<a href="#${anchor}">${mark}</a>`;
  return `<td class="${anchor === undefined ? 'red' : 'explained'}" title="${escaped(detail)}">${text}`;
}

/** A short text for a cell: `14/72 files` from "14 of 72 files planned, 12 hold rows", the commits of each writer, how NaN compares. */
function figures(detail: string): string {
  const [, planned, all] = /(\d+) of (\d+) files planned/.exec(detail) ?? [];
  if (planned !== undefined) return `${planned}/${all} files`;
  return /^commits: [^;]*|NaN .*/.exec(detail)?.[0] ?? '';
}

function explanation({ anchor, title, text, sources }: (typeof explanations)[number]): string {
  const links = sources.map((source) => `<a href="${escaped(source)}">${escaped(sourceName(source))}</a>`);
  return `<h3 id="${anchor}">${coded(title)}</h3><p>${coded(text)}<p>${links.join(' · ')}`;
}

/** Turns Markdown's code marks into elements. */
function coded(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 1.5rem auto; max-width: 76rem; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: .2rem .6rem; text-align: left; border-bottom: 1px solid #8884; white-space: nowrap; }
td:first-child { white-space: normal; min-width: 14rem; }
tr > th { position: sticky; top: 0; background: Canvas; }
.wide { overflow-x: auto; }
small { opacity: .7; }
td.green { background: #2a92; } td.explained { background: #e902; } td.red { background: #d226; }
td.bar { display: flex; width: 16rem; height: 1.1rem; padding: .35rem 0; gap: 2px; }
i.green { background: #2a9d4e; } i.explained { background: #e0a100; } i.red { background: #d22; }
:target { background: #e904; }
`;
