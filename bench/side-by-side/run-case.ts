import type { Case } from './cases.ts';
import {
  type Contender,
  type ContenderName,
  keepsLedger,
  startContender,
  tableOf,
} from './contenders/contender.ts';
import type { Answer } from './contenders/protocol.ts';
import type { RegisterProgram } from './contenders/register-program.ts';
import { startDelayingProxy } from './lakehouse/delaying-proxy.ts';
import { buildHistory, noHistory } from './lakehouse/history.ts';
import { type Endpoints, type Lakehouse, startLakehouse } from './lakehouse/lakehouse.ts';
import { startReadBack } from './lakehouse/read-back.ts';
import { type Segment, upload } from './lakehouse/segments.ts';
import { makeTable } from './lakehouse/tables.ts';
import { shuffled } from './shuffled.ts';

export type Answers = ReadonlyMap<ContenderName, readonly Answer[]>;

/** In prepared tables no contender merges manifests, so that all do the same work. */
const UNMERGED = { 'commit.manifest-merge.enabled': 'false' };

/**
 * Runs one case on newly started services. All contenders take turns, in a new order each round, each with its own table of the same
 * segments. Afterwards every table is read back.
 * @throws Error when a contender fails, or its table is not what it should be
 */
export async function runCase(
  one: Case,
  register: RegisterProgram,
  say: (line: string) => void,
): Promise<Answers> {
  const closing: (() => Promise<void>)[] = [];
  try {
    const lakehouse = await startLakehouse();
    closing.push(() => lakehouse.close());
    say(`${one.id}: uploading`);
    const segments = await upload(lakehouse, one.id, (one.warmUp + one.rounds) * one.segmentsACommit);
    await makeTables(one, lakehouse);
    const endpoints = one.delayMs === 0 ? lakehouse : await delayed(lakehouse, one.delayMs, closing);
    const contenders = [...one.contenders.keys()].map((name) =>
      startContender(name, { ...lakehouse, ...endpoints }, register),
    );
    closing.push(async () => void (await Promise.all(contenders.map((contender) => contender.stop()))));
    say(`${one.id}: running`);
    const { answers, registered } = await takeTurns(one, contenders, segments);
    say(`${one.id}: reading back`);
    const readBack = startReadBack(lakehouse);
    closing.push(() => readBack.stop());
    for (const [name, files] of registered) await readBack.check(tableOf(one.id, name), files, one.snapshots);
    return answers;
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function makeTables(one: Case, lakehouse: Lakehouse): Promise<void> {
  const grown = one.snapshots > 0;
  const history = grown ? await buildHistory(lakehouse, one.id, one.snapshots) : noHistory;
  const properties = grown ? UNMERGED : {};
  for (const name of one.contenders.keys())
    await makeTable(lakehouse, tableOf(one.id, name), history, { ledger: keepsLedger(name), properties });
}

async function delayed(
  lakehouse: Lakehouse,
  delayMs: number,
  closing: (() => Promise<void>)[],
): Promise<Endpoints> {
  const [catalog, store] = await Promise.all([
    startDelayingProxy(lakehouse.catalogUri, delayMs),
    startDelayingProxy(lakehouse.storeEndpoint, delayMs),
  ]);
  closing.push(async () => void (await Promise.all([catalog.close(), store.close()])));
  return { catalogUri: catalog.url, storeEndpoint: store.url };
}

async function takeTurns(one: Case, contenders: readonly Contender[], segments: readonly Segment[]) {
  const answers = new Map<ContenderName, Answer[]>(contenders.map(({ name }) => [name, []]));
  const registered = new Map<ContenderName, Segment[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < one.warmUp + one.rounds; round += 1) {
    const measured = round - one.warmUp;
    const batch = segments.slice(round * one.segmentsACommit, (round + 1) * one.segmentsACommit);
    const taking = contenders.filter(({ name }) => takesPart(one, name, round));
    for (const contender of shuffled(taking, `${one.id}/${round}`)) {
      const answer = await contender.register(one.id, batch);
      registered.get(contender.name)?.push(...batch);
      if (measured >= 0) answers.get(contender.name)?.push(answer);
    }
  }
  return { answers, registered };
}

/** The slow ones warm up in the first round only. */
function takesPart({ contenders, warmUp }: Case, name: ContenderName, round: number): boolean {
  const every = contenders.get(name) ?? 1;
  return round < warmUp ? every === 1 || round === 0 : (round - warmUp) % every === 0;
}
