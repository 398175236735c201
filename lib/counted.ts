/** `1 segment`, `12,345 segments`. */
export function counted(count: number | bigint, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${Number(count) === 1 ? one : several}`;
}

/** `1–3, 7`, of ascending numbers. */
export function numberRanges(numbers: readonly number[], dash = '–'): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}${dash}${to}`)).join(', ');
}
