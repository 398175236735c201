import { type ContenderName, keepsLedger, startContender, tableOf } from './contenders/contender.ts';
import type { Answer } from './contenders/protocol.ts';
import type { RegisterProgram } from './contenders/register-program.ts';
import { buildHistory } from './lakehouse/history.ts';
import { startLakehouse } from './lakehouse/lakehouse.ts';
import { startReadBack } from './lakehouse/read-back.ts';
import { upload } from './lakehouse/segments.ts';
import { makeTable } from './lakehouse/tables.ts';
import { shuffled } from './shuffled.ts';

export interface GrowthResult {
  readonly snapshots: number;
  readonly ours: readonly Answer[];
}

export const SIZES = [100, 1_000, 5_000, 10_000];
/** As merging a hundred small manifests leaves them. */
const FILES_OF_MANIFEST = 100;
const WARM_UP = 5;
const OURS: ContenderName = 'ours';

/** Measures only the registrar, with default merging, alternately on tables of different age. */
export async function runGrowth(
  rounds: number,
  register: RegisterProgram,
  say: (line: string) => void,
): Promise<readonly GrowthResult[]> {
  const lakehouse = await startLakehouse();
  const closing: (() => Promise<void>)[] = [() => lakehouse.close()];
  try {
    const tables = [];
    for (const snapshots of SIZES) {
      say(`growth: a table of ${snapshots} snapshots`);
      const dataset = `grown_${snapshots}`;
      const history = await buildHistory(lakehouse, dataset, snapshots, FILES_OF_MANIFEST);
      await makeTable(lakehouse, tableOf(dataset, OURS), history, { ledger: keepsLedger(OURS) });
      const segments = await upload(lakehouse, dataset, WARM_UP + rounds);
      const contender = startContender(OURS, lakehouse, register);
      closing.push(() => contender.stop());
      const answers: Answer[] = [];
      tables.push({ snapshots, dataset, segments, contender, answers });
    }
    say('growth: running');
    for (let round = 0; round < WARM_UP + rounds; round += 1) {
      for (const { dataset, segments, contender, answers } of shuffled(tables, `growth/${round}`)) {
        const answer = await contender.register(dataset, segments.slice(round, round + 1));
        if (round >= WARM_UP) answers.push(answer);
      }
    }
    say('growth: reading back');
    const readBack = startReadBack(lakehouse);
    closing.push(() => readBack.stop());
    for (const { dataset, segments, snapshots } of tables)
      await readBack.check(tableOf(dataset, OURS), segments, snapshots);
    return tables.map(({ snapshots, answers }) => ({ snapshots, ours: answers }));
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
