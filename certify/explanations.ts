import type { Cell } from './cell.ts';
import type { EngineName } from './engines/engine.ts';

/** Why cells of an engine are not green, with its cause shown in that engine's source or issue. */
export interface Explanation {
  /** Of the heading on docs/compatibility.md. */
  readonly anchor: string;
  readonly title: string;
  readonly engines: readonly EngineName[];
  /** What each of a cell's differences must match. */
  readonly differences: RegExp;
  /** Features it is about; any by default. */
  readonly features?: RegExp;
  /** Markdown. */
  readonly text: string;
  readonly sources: readonly string[];
}

export const explanations: readonly Explanation[] = [
  {
    anchor: 'spark-table-cache',
    title: 'Spark answers from its table cache',
    engines: ['Spark'],
    features: /cache-enabled=true/,
    differences: /^\d+ of \d+ rows$/,
    text:
      'A Spark catalog wraps its REST client in a cache of tables (`cache-enabled`, on by default), and answers from the snapshot that it loaded first. ' +
      'An entry expires when it was not *read* for `cache.expiration-interval-ms` (30 s): a session that queries more often never sees another writer. ' +
      '`cache-enabled=false` or `REFRESH TABLE` makes it see: [Maintenance](maintenance.md#readers-that-cache-tables).',
    sources: [
      'https://github.com/apache/iceberg/blob/main/core/src/main/java/org/apache/iceberg/CachingCatalog.java (expireAfterAccess)',
      'https://github.com/apache/iceberg/issues/2319',
      'https://github.com/apache/iceberg/pull/14440',
    ],
  },
];

/** The anchor of what explains a cell that is not green: its own, or that of the first explanation that fits each of its differences. */
export function explanationOf(cell: Cell): string | undefined {
  if (cell.outcome === 'green' || cell.explained !== undefined) return cell.explained;
  const lines = cell.differences ?? [cell.detail ?? ''];
  return explanations.find(
    ({ engines, features, differences }) =>
      engines.some((name) => name === cell.engine) &&
      (features?.test(cell.feature) ?? true) &&
      lines.every((line) => differences.test(line)),
  )?.anchor;
}
