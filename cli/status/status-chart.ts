/** A figure over time. */
export interface Point {
  readonly atMs: number;
  readonly value: number;
}

const WIDTH = 320;
const HEIGHT = 96;
const PADDING = 4;
/** The most points to draw, since more points than pixels add nothing. The largest value of each slot is kept, so no peak is lost. */
const MOST_POINTS = 160;

/** An SVG of a figure over time, starting at zero: `line` for totals, `bars` for events. Empty without points. */
export function chart(points: readonly Point[], kind: 'line' | 'bars'): string {
  const drawn = thinned(points);
  const [first, last] = [drawn[0], drawn.at(-1)];
  if (first === undefined || last === undefined) return '';
  const span = Math.max(1, last.atMs - first.atMs);
  const highest = Math.max(...drawn.map(({ value }) => value), Number.MIN_VALUE);
  const x = ({ atMs }: Point) => fixed(PADDING + ((atMs - first.atMs) / span) * (WIDTH - 2 * PADDING));
  const y = ({ value }: Point) => fixed(HEIGHT - PADDING - (value / highest) * (HEIGHT - 2 * PADDING));
  const base = HEIGHT - PADDING;
  const drawing =
    kind === 'bars'
      ? `<path class="bars" d="${drawn.map((point) => `M${x(point)} ${base}V${y(point)}`).join('')}"/>`
      : `<path class="area" d="M${x(first)} ${base}${drawn.map((point) => `L${x(point)} ${y(point)}`).join('')}L${x(last)} ${base}Z"/>` +
        `<path class="line" d="${drawn.map((point, at) => `${at === 0 ? 'M' : 'L'}${x(point)} ${y(point)}`).join('')}"/>` +
        `<circle cx="${x(last)}" cy="${y(last)}" r="3"/>`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><line class="base" x1="0" y1="${base}" x2="${WIDTH}" y2="${base}"/>${drawing}</svg>`;
}

function thinned(points: readonly Point[]): readonly Point[] {
  if (points.length <= MOST_POINTS) return points;
  const slot = points.length / MOST_POINTS;
  return Array.from({ length: MOST_POINTS }, (_, at) =>
    points.slice(Math.floor(at * slot), Math.floor((at + 1) * slot)),
  ).flatMap((few) =>
    few.reduce<readonly Point[]>(
      (best, point) => ((best[0]?.value ?? -1) > point.value ? best : [point]),
      [],
    ),
  );
}

function fixed(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}
