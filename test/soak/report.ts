import type { SoakResult } from './soak.ts';

/** What ten minutes must see, or they prove nothing. */
const leastInTenMinutes = { kills: 50, conflicts: 200, unknowns: 100 };
const MOST_PROBLEMS_SHOWN = 40;

/** Prints the figures, what is wrong, and the verdict as the last line; answers whether it held. */
export function reportSoak(result: SoakResult, minutes: number): boolean {
  const { trouble, maintained, heard, verdict, kills } = result;
  const { landed, landedUnheard, conflicts, unknowns } = trouble.commits;
  console.table({
    'segments shipped': result.segments,
    tables: result.tables,
    'delivered again meanwhile': result.redeliveries,
    commits: landed,
    'commits that landed unheard': landedUnheard,
    'kills in the middle of an invocation': kills.atWork,
    ...numbered('catalog requests', trouble.catalog.faults),
    ...numbered('store requests', trouble.store.faults),
    ...numbered('batches failed:', heard.failures()),
    ...(maintained && {
      'Spark: tables maintained': maintained.tables,
      'Spark: files compacted': maintained.compacted,
      'Spark: manifests rewritten': maintained.manifests,
      'Spark: snapshots expired': maintained.snapshots,
      'Spark: data files deleted': maintained.files,
      'Spark: gave up': maintained.errors.length,
    }),
    'late redeliveries that are unprovable': result.unprovable,
  });
  for (const error of maintained?.errors ?? []) console.log(`Spark gave up: ${error}`);
  const problems = problemsOf(result, minutes);
  for (const problem of problems.slice(0, MOST_PROBLEMS_SHOWN)) console.log(problem);
  console.log(
    `${problems.length === 0 ? 'held' : 'NOT HELD'}: ${result.segments} segments, ${verdict.rows} rows, ${kills.all} kills, ${conflicts} conflicts, ` +
      `${unknowns} unknowns, duplicates ${verdict.duplicates}, lost ${verdict.lost}, counted by ${result.engines.join(', ')}`,
  );
  return problems.length === 0;
}

function problemsOf(
  { verdict, heard, quarantined, unprovable, deadLetters, kills, trouble }: SoakResult,
  minutes: number,
): readonly string[] {
  const seen = { kills: kills.all, conflicts: trouble.commits.conflicts, unknowns: trouble.commits.unknowns };
  const share = Math.min(1, minutes / 10);
  const tooFew = Object.entries(leastInTenMinutes).flatMap(([what, least]) => {
    const [found, wanted] = [seen[what as keyof typeof seen], Math.ceil(least * share)];
    return found < wanted ? [`${found} ${what} are too few to prove anything: ${wanted} are wanted`] : [];
  });
  const unexpected = quarantined.length - unprovable;
  const sample = quarantined.find(({ code }) => code !== 'registration.unprovable') ?? quarantined[0];
  return [
    ...verdict.differences,
    ...heard.faults(),
    ...(unexpected > 0
      ? [
          `${unexpected} segments in quarantine, such as ${sample?.segment?.uri}: ${sample?.code}: ${sample?.message}`,
        ]
      : []),
    ...(verdict.lost > 0
      ? [`${verdict.lost} rows were lost, until they were delivered once more at the latest`]
      : []),
    ...(deadLetters > 0 ? [`${deadLetters} messages in dead-letter queues`] : []),
    ...tooFew,
  ];
}

function numbered(prefix: string, counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries([...counts].map(([name, count]) => [`${prefix} ${name}`, count]));
}
