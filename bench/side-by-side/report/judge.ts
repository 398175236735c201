import type { Case } from '../cases.ts';
import type { ContenderName } from '../contenders/contender.ts';
import type { Answer } from '../contenders/protocol.ts';
import type { FleetResult } from '../fleet.ts';
import type { GrowthResult } from '../growth.ts';
import type { RequestCount } from '../requests.ts';
import type { Answers } from '../run-case.ts';
import type { Figure, Row, Section } from './section.ts';
import { mean, median, quantile } from './statistics.ts';

/** @throws RangeError for a contender that was never measured */
export function judgeCase({ id, title, figures: wanted }: Case, answers: Answers): Section {
  const p50 = (name: ContenderName) => median(elapsed(answers.get(name) ?? []));
  const [ours, floor] = [p50('ours'), p50('floor')];
  const rows = [...answers].map(([name, commits]): Row => {
    return { contender: name, ...timesOf(commits), '÷ ours': p50(name) / ours, '÷ floor': p50(name) / floor };
  });
  const figures: Figure[] = [
    { what: 'ours ÷ floor', measured: ours / floor, must: 'be at most', limit: wanted.floor },
    ...[...wanted.peers].map(([name, limit]): Figure => {
      return { what: `${name} ÷ ours`, measured: p50(name) / ours, must: 'be at least', limit };
    }),
  ];
  if (wanted.rssMib !== undefined) {
    const measured = Math.max(...(answers.get('ours') ?? []).map(({ rssMib }) => rssMib));
    figures.push({ what: 'our memory, MiB', measured, must: 'be at most', limit: wanted.rssMib });
  }
  return { id, title, rows: rows.toSorted(byTime), figures };
}

const FLEET_FLOOR = 1.3;
const FLEET_CONFLICTS = 0.05;

export function judgeFleet({ ours, floor }: FleetResult): Section {
  const ratio = median(elapsed(ours)) / median(elapsed(floor));
  const conflicts = ours.reduce((sum, answer) => sum + (answer.conflicts ?? 0), 0) / ours.length;
  return {
    id: 'fleet',
    title: '8 datasets over 4 processes, batches assigned at random',
    rows: [
      { contender: 'ours', ...timesOf(ours), '÷ floor': ratio, 'conflicts a commit': conflicts },
      { contender: 'floor, one load', ...timesOf(floor), '÷ floor': 1 },
    ],
    figures: [
      { what: 'ours ÷ floor with one load', measured: ratio, must: 'be at most', limit: FLEET_FLOOR },
      { what: 'conflicts a commit', measured: conflicts, must: 'be at most', limit: FLEET_CONFLICTS },
    ],
  };
}

const CATALOG_REQUESTS = 1;
const STORE_REQUESTS = 3;

export function judgeRequests(counts: readonly RequestCount[]): Section {
  const ours = counts.filter(({ contender }) => contender === 'ours');
  return {
    id: 'requests',
    title: 'requests of a warm commit of one segment',
    rows: counts.map(({ contender, snapshots, catalog, store }) => ({
      contender,
      'snapshots before': snapshots,
      'catalog requests': catalog,
      'store requests': store,
    })),
    figures: ours.flatMap(({ snapshots, catalog, store }): Figure[] => [
      {
        what: `our catalog requests, ${snapshots} snapshots`,
        measured: catalog,
        must: 'be',
        limit: CATALOG_REQUESTS,
      },
      {
        what: `our store requests, ${snapshots} snapshots`,
        measured: store,
        must: 'be',
        limit: STORE_REQUESTS,
      },
    ]),
  };
}

const GROWTH = 1.3;

/** Judges means, since the median does not show the few, long commits that merge. */
export function judgeGrowth(results: readonly GrowthResult[]): Section {
  const outside = results.map(({ ours }) => ours.map(({ elapsedMs, commitMs = 0 }) => elapsedMs - commitMs));
  const rows = results.map(({ snapshots, ours }, at): Row => {
    const [commit, rest] = [ours.map(({ commitMs = 0 }) => commitMs), outside[at] ?? []];
    return {
      'snapshots before': snapshots,
      ...timesOf(ours),
      "catalog's POST, p50 ms": median(commit),
      'outside it, p50 ms': median(rest),
      'outside it, mean ms': mean(rest),
    };
  });
  const [first = [], last = []] = [outside[0], outside.at(-1)];
  const sizes = `${results.at(-1)?.snapshots} ÷ ${results[0]?.snapshots} commits, outside the catalog's POST`;
  return {
    id: 'growth',
    title: 'ours as the table grows, merging manifests',
    rows,
    figures: [
      { what: `${sizes}, median`, measured: median(last) / median(first), must: 'be at most', limit: GROWTH },
      { what: `${sizes}, mean`, measured: mean(last) / mean(first), must: 'be at most', limit: GROWTH },
    ],
  };
}

function timesOf(answers: readonly Answer[]): Row {
  const times = elapsed(answers);
  return {
    commits: answers.length,
    'p50 ms': median(times),
    'p95 ms': quantile(times, 0.95),
    'CPU ms': median(answers.map(({ cpuMs }) => cpuMs)),
    'RSS MiB': Math.max(...answers.map(({ rssMib }) => rssMib)),
  };
}

function elapsed(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ elapsedMs }) => elapsedMs);
}

function byTime(a: Row, b: Row): number {
  return Number(a['p50 ms']) - Number(b['p50 ms']);
}
