import type { ContenderName } from './contenders/contender.ts';

/** One row of the table of figures: who registers what in which table, and what must come of it. */
export interface Case {
  readonly id: string;
  readonly title: string;
  /** How many snapshots the table has before. */
  readonly snapshots: number;
  readonly segmentsACommit: number;
  /** Rounds before the clock runs. */
  readonly warmUp: number;
  readonly rounds: number;
  /** Who takes part, and in every how many rounds: those that take seconds a commit are heard five times. */
  readonly contenders: ReadonlyMap<ContenderName, number>;
  /** Added to each request, by a proxy before catalog and store. */
  readonly delayMs: number;
  readonly figures: Figures;
}

export interface Figures {
  /** Ours ÷ floor, at most. */
  readonly floor: number;
  /** A peer ÷ ours, at least. */
  readonly peers: ReadonlyMap<ContenderName, number>;
  /** Ours, at most. */
  readonly rssMib?: number;
}

const everyone = { ours: 1, floor: 1, 'iceberg-rust': 1, 'iceberg-go': 1, Java: 1, PyIceberg: 1 };

export const cases: readonly Case[] = [
  of({
    id: 'small',
    title: 'one segment a commit, table of 20-120 commits',
    warmUp: 20,
    rounds: 100,
    contenders: { ...everyone, 'iceberg-rust, check': 1, 'iceberg-go, check': 4, 'PyIceberg, check': 1 },
    floor: 1.2,
    peers: {
      'iceberg-rust': 1.2,
      'iceberg-rust, check': 3,
      'iceberg-go': 1.6,
      Java: 3.3,
      PyIceberg: 4.5,
      'PyIceberg, check': 12,
    },
  }),
  of({
    id: '1000',
    title: 'one segment a commit, table of 1,000 snapshots',
    snapshots: 1_000,
    warmUp: 5,
    rounds: 30,
    contenders: { ...everyone, 'iceberg-rust, check': 6, 'iceberg-go, check': 6, 'PyIceberg, check': 6 },
    floor: 1.15,
    peers: {
      'iceberg-rust': 1.7,
      'iceberg-rust, check': 18,
      'iceberg-go': 2.1,
      Java: 3.4,
      PyIceberg: 20,
      'PyIceberg, check': 65,
    },
  }),
  of({
    id: '5000',
    title: 'one segment a commit, table of 5,000 snapshots',
    snapshots: 5_000,
    warmUp: 3,
    rounds: 20,
    contenders: { ...everyone, PyIceberg: 4 },
    floor: 1.15,
    peers: { 'iceberg-rust': 1.9, 'iceberg-go': 2.5, Java: 2.7, PyIceberg: 37 },
    rssMib: 120,
  }),
  of({
    id: 'ten',
    title: '10 segments a commit, table of 10-35 commits',
    segmentsACommit: 10,
    warmUp: 10,
    rounds: 25,
    contenders: { ...everyone, 'PyIceberg, check': 1 },
    floor: 1.2,
    peers: { 'iceberg-rust': 1, PyIceberg: 3.2, Java: 4 },
  }),
  of({
    id: 'thousand',
    title: '1,000 segments in one commit',
    segmentsACommit: 1_000,
    warmUp: 4,
    rounds: 5,
    contenders: everyone,
    floor: 1.2,
    peers: { 'iceberg-rust': 1.1, PyIceberg: 4.4, Java: 5.3 },
  }),
  of({
    id: 'delayed',
    title: 'one segment a commit, 25 ms added to each request',
    warmUp: 10,
    rounds: 30,
    contenders: everyone,
    delayMs: 25,
    floor: 1.1,
    peers: { 'iceberg-rust': 1.8, 'iceberg-go': 1.9, Java: 3, PyIceberg: 3 },
  }),
];

/** Five measured rounds of the same, one of those that take seconds. */
export function quick(one: Case): Case {
  const rounds = one.segmentsACommit > 100 ? 2 : 5;
  const contenders = new Map([...one.contenders].map(([name, every]) => [name, every === 1 ? 1 : rounds]));
  const title = `${one.title} (a quick look)`;
  return { ...one, title, rounds, warmUp: Math.min(one.warmUp, 5), contenders };
}

function of(row: {
  readonly id: string;
  readonly title: string;
  readonly snapshots?: number;
  readonly segmentsACommit?: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly contenders: Partial<Record<ContenderName, number>>;
  readonly delayMs?: number;
  readonly floor: number;
  readonly peers: Partial<Record<ContenderName, number>>;
  readonly rssMib?: number;
}): Case {
  const { contenders, floor, peers, rssMib, ...rest } = row;
  const mapOf = (record: Partial<Record<ContenderName, number>>) =>
    new Map(Object.entries(record) as [ContenderName, number][]);
  return {
    snapshots: 0,
    segmentsACommit: 1,
    delayMs: 0,
    ...rest,
    contenders: mapOf(contenders),
    figures: { floor, peers: mapOf(peers), ...(rssMib !== undefined && { rssMib }) },
  };
}
