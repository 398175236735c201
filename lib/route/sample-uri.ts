import type { Entry } from '../config/entry.ts';
import { fill, placeholders } from '../spec/path-template.ts';

/**
 * An example of a URI that fits the entry's layout. Every name in it is filled, those for pipeline and dataset with values that
 * the entry accepts, and an open end with `file`.
 *
 * @param dataset for an entry that takes any
 */
export function sampleUri(entry: Entry, dataset: string, file: string): string {
  const names = new Map(placeholders(entry.layout).map((name) => [name, 'sample']));
  names.set('dataset', entry.from?.[0] ?? dataset);
  if (entry.pipeline !== undefined) names.set('pipeline', entry.pipeline);
  return fill(
    entry.layout.replace(/^\{url\}/, () => entry.url),
    names,
  ).replace(/(…|\.\.\.)$/, () => file);
}
