import type { Cell } from '../cell.ts';
import { cellOf } from '../tables/certified-table.ts';
import { compareSnapshots } from './differences.ts';
import type { Append } from './java.ts';
import { knownRefusals, nameOf } from './known-differences.ts';

/** The appends of one table, with the name of their file or feature. */
export interface NamedAppends {
  readonly name: string;
  readonly appends: readonly Append[];
}

/** Compares commits with what Java's FastAppend writes for the same files, field by field, apart from known differences. */
export function fastAppendCell(feature: string, engine: string, tables: readonly NamedAppends[]): Cell {
  const met = new Map<string, number>();
  const meet = (name: string) => met.set(name, (met.get(name) ?? 0) + 1);
  const lines: string[] = [];
  let [commits, compared] = [0, 0];
  for (const { name, appends } of tables) {
    if (appends.length === 0) lines.push(`${name}: no commit to compare`);
    for (const { ours, java, refusal } of appends) {
      commits += 1;
      if (java === undefined) {
        const known = knownRefusals.find((one) => one.files.test(name) && one.refusal.test(refusal ?? ''));
        if (known === undefined) lines.push(`${name}: Java cannot append it: ${refusal}`);
        else meet(`Java refuses: ${known.name}`);
        continue;
      }
      const { fields, differences } = compareSnapshots(ours, java);
      compared += fields;
      for (const difference of differences) {
        const known = nameOf(difference, name);
        if (known !== undefined) meet(known);
        else lines.push(`${name}: ${difference.path} is ${difference.ours}, Java's ${difference.java}`);
      }
    }
  }
  const known = [...met].map(([name, count]) => `${name} (${count})`).join(', ');
  return cellOf(engine, feature, lines, `${commits} commits, ${compared} fields; known: ${known}`);
}
