/** `1 segment`, `12,345 segments`. */
export function counted(count: number | bigint, one: string, several = `${one}s`): string {
  return `${count.toLocaleString('en')} ${Number(count) === 1 ? one : several}`;
}
