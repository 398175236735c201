import { seededDice } from '../../local/shipper/dice.ts';
import { type Contender, keepsLedger, startContender, tableOf } from './contenders/contender.ts';
import type { Answer } from './contenders/protocol.ts';
import type { RegisterProgram } from './contenders/register-program.ts';
import { noHistory } from './lakehouse/history.ts';
import { type Lakehouse, startLakehouse } from './lakehouse/lakehouse.ts';
import { startReadBack } from './lakehouse/read-back.ts';
import { type Segment, upload } from './lakehouse/segments.ts';
import { makeTable } from './lakehouse/tables.ts';
import { shuffled } from './shuffled.ts';

/** Eight datasets, registered by four processes, like parallel executions of the function. */
export interface FleetResult {
  readonly ours: readonly Answer[];
  readonly floor: readonly Answer[];
}

const DATASETS = 8;
const PROCESSES = 4;
const BATCHES_A_BLOCK = 4;
/** After these, each process has registered to each table about three times. */
const WARM_UP_BLOCKS = 3;
const FLOOR = 'floor, one load';

type Side = 'ours' | typeof FLOOR;

/**
 * Compares the registrar with a floor that loads the table before every commit, because another process may have written to it. Both take
 * turns, with a block of batches each. Our processes get random batches, so that their state is mostly stale; each of the floor's processes
 * keeps its own tables, so that its state never is.
 */
export async function runFleet(
  blocks: number,
  register: RegisterProgram,
  say: (line: string) => void,
): Promise<FleetResult> {
  const lakehouse = await startLakehouse();
  const closing: (() => Promise<void>)[] = [() => lakehouse.close()];
  try {
    say('fleet: uploading');
    const names = Array.from({ length: DATASETS }, (_, at) => `fleet_${at}`);
    const ofEach = (WARM_UP_BLOCKS + blocks) * BATCHES_A_BLOCK;
    const datasets = new Map<string, readonly Segment[]>();
    for (const name of names) datasets.set(name, await upload(lakehouse, name, ofEach));
    await makeTables(lakehouse, names);
    const start = (side: Side): readonly Contender[] =>
      Array.from({ length: PROCESSES }, () => startContender(side, lakehouse, register));
    const sides = new Map<Side, readonly Contender[]>([
      ['ours', start('ours')],
      [FLOOR, start(FLOOR)],
    ]);
    closing.push(async () => void (await Promise.all([...sides.values()].flat().map((one) => one.stop()))));

    say('fleet: running');
    const answers = new Map<Side, Answer[]>([
      ['ours', []],
      [FLOOR, []],
    ]);
    for (let block = 0; block < WARM_UP_BLOCKS + blocks; block += 1) {
      for (const side of shuffled([...sides.keys()], `fleet/${block}`)) {
        const batches = new Map(
          [...datasets].map(([name, all]) => [
            name,
            all.slice(block * BATCHES_A_BLOCK, (block + 1) * BATCHES_A_BLOCK),
          ]),
        );
        const fixed = side === FLOOR ? names : undefined;
        const done = await runBlock(sides.get(side) ?? [], batches, fixed, `${side}/${block}`);
        if (block >= WARM_UP_BLOCKS) answers.get(side)?.push(...done);
      }
    }

    say('fleet: reading back');
    const readBack = startReadBack(lakehouse);
    closing.push(() => readBack.stop());
    for (const [name, segments] of datasets) await readBack.check(tableOf(name, 'ours'), segments, 0);
    return { ours: answers.get('ours') ?? [], floor: answers.get(FLOOR) ?? [] };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function makeTables(lakehouse: Lakehouse, names: readonly string[]): Promise<void> {
  for (const name of names) {
    for (const side of ['ours', FLOOR] as const)
      await makeTable(lakehouse, tableOf(name, side), noHistory, { ledger: keepsLedger(side) });
  }
}

/**
 * Each idle process takes a batch of any dataset that no other process is working on, as with randomly assigned FIFO groups.
 * @param fixed the datasets in an order that gives each process its own; undefined for random assignment
 */
async function runBlock(
  processes: readonly Contender[],
  batches: ReadonlyMap<string, readonly Segment[]>,
  fixed: readonly string[] | undefined,
  seed: string,
): Promise<readonly Answer[]> {
  const dice = seededDice(seed);
  const left = new Map([...batches].map(([name, segments]) => [name, [...segments]]));
  const busy = new Set<string>();
  const answers: Answer[] = [];
  let freed = Promise.withResolvers<void>();
  await Promise.all(
    processes.map(async (contender, at) => {
      const mine = fixed?.filter((_, index) => index % processes.length === at);
      for (;;) {
        const open = [...left].filter(
          ([name, waiting]) => waiting.length > 0 && (mine?.includes(name) ?? true),
        );
        if (open.length === 0) return;
        const free = open.filter(([name]) => !busy.has(name));
        const chosen = free[dice.integer(0, Math.max(0, free.length - 1))];
        const segment = chosen?.[1].shift();
        if (chosen === undefined || segment === undefined) {
          await freed.promise;
          continue;
        }
        const [name] = chosen;
        busy.add(name);
        answers.push(await contender.register(name, [segment]));
        busy.delete(name);
        freed.resolve();
        freed = Promise.withResolvers();
      }
    }),
  );
  return answers;
}
