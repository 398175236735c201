import type { Section } from './section.ts';

/** Cases that differ only in the table's age, with the age at which they are plotted: `small` is measured from 20 to 120 commits. */
const AGES: readonly (readonly [string, number])[] = [
  ['small', 70],
  ['1000', 1_000],
  ['5000', 5_000],
];
/** Okabe and Ito's palette, whose colours colour-blind readers can distinguish too. */
const COLOURS: Readonly<Record<string, string>> = {
  ours: '#d55e00',
  floor: '#7f7f7f',
  'iceberg-rust': '#0072b2',
  'iceberg-rust, check': '#0072b2',
  'iceberg-go': '#009e73',
  'iceberg-go, check': '#009e73',
  Java: '#cc79a7',
  PyIceberg: '#b58900',
  'PyIceberg, check': '#b58900',
};
const [WIDTH, HEIGHT] = [760, 440];
const EDGE = { left: 64, right: 170, top: 40, bottom: 52 };
const LABEL_GAP = 14;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** An SVG plot of the median time of a one-segment commit against the table's age, with logarithmic axes. Undefined without such cases. */
export function plotOf(sections: readonly Section[]): string | undefined {
  const series = seriesOf(sections);
  const times = [...series.values()].flat().map(({ y }) => y);
  if (times.length === 0) return undefined;
  const x = logScale([50, 6_000], [EDGE.left, WIDTH - EDGE.right]);
  const least = 10 ** Math.floor(Math.log10(Math.min(...times)));
  const y = logScale([least, 1.5 * Math.max(...times)], [HEIGHT - EDGE.bottom, EDGE.top]);
  const at = ({ x: age, y: ms }: Point): Point => ({ x: x.at(age), y: y.at(ms) });
  const lines = [...series].map(([name, points]) => line(name, points.map(at)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12"><title>Milliseconds a commit against snapshots of the table</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(
      { x: EDGE.left, y: 22 },
      'One segment a commit: median milliseconds, both axes logarithmic',
      'start',
      14,
    ),
    ...y.ticks.map((ms) => grid(y.at(ms), ms)),
    ...AGES.map(([, age]) => text({ x: x.at(age), y: HEIGHT - EDGE.bottom + 20 }, age.toLocaleString('en'))),
    text({ x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 12 }, 'snapshots of the table'),
    ...lines,
    ...labels(new Map([...series].map(([name, points]) => [name, points.map(at)]))),
    '</svg>',
    '',
  ].join('\n');
}

function seriesOf(sections: readonly Section[]): ReadonlyMap<string, readonly Point[]> {
  const points = AGES.flatMap(([id, age]) => {
    const rows = sections.find((section) => section.id === id)?.rows ?? [];
    return rows.map((row) => ({ name: String(row['contender']), x: age, y: Number(row['p50 ms']) }));
  });
  return Map.groupBy(points, ({ name }) => name);
}

function logScale(domain: readonly [number, number], range: readonly [number, number]) {
  const [low, high] = domain.map(Math.log10) as [number, number];
  const ticks = Array.from(
    { length: Math.floor(high) - Math.ceil(low) + 1 },
    (_, at) => 10 ** (Math.ceil(low) + at),
  );
  return {
    ticks,
    at: (value: number) => range[0] + ((Math.log10(value) - low) / (high - low)) * (range[1] - range[0]),
  };
}

function line(name: string, points: readonly Point[]): string {
  const colour = COLOURS[name] ?? '#000000';
  const dash = name.endsWith(', check') ? ' stroke-dasharray="5 4"' : '';
  const path = points.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ');
  const dots = points.map(
    ({ x, y }) => `<circle cx="${round(x)}" cy="${round(y)}" r="3.5" fill="${colour}"/>`,
  );
  const width = name === 'ours' ? 3 : 1.6;
  return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="${width}"${dash}/>${dots.join('')}`;
}

/** Places each name at the end of its line, further down if it would overlap another. */
function labels(series: ReadonlyMap<string, readonly Point[]>): readonly string[] {
  const ends = [...series].flatMap(([name, points]) => {
    const end = points.at(-1);
    return end === undefined ? [] : [{ name, ...end }];
  });
  const columns = Map.groupBy(ends, ({ x }) => x);
  return [...columns.values()].flatMap((column) => {
    let free = Number.NEGATIVE_INFINITY;
    return column
      .toSorted((a, b) => a.y - b.y)
      .map(({ name, x, y }) => {
        const placed = Math.max(y, free);
        free = placed + LABEL_GAP;
        return text({ x: x + 9, y: placed + 4 }, name, 'start', 12, COLOURS[name]);
      });
  });
}

function grid(y: number, ms: number): string {
  const rule = `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${round(y)}" y2="${round(y)}" stroke="#dddddd"/>`;
  return rule + text({ x: EDGE.left - 8, y: y + 4 }, ms.toLocaleString('en'), 'end');
}

function text({ x, y }: Point, content: string, anchor = 'middle', size = 12, colour = '#333333'): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" fill="${colour}">${content}</text>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
