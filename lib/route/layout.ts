import type { Entry } from '../config/entry.ts';
import type { SegmentReference } from '../event/segment-reference.ts';
import { onceFor } from '../memo.ts';
import {
  fill,
  matchTemplate,
  type PathTemplate,
  parseTemplate,
  placeholders,
} from '../spec/path-template.ts';
import type { TableIdentifier } from '../spec/table-identifier.ts';

/** A dataset, and the table that it goes to. */
export interface Dataset {
  readonly kind: 'table';
  readonly entry: Entry;
  readonly table: TableIdentifier;
  /** Undefined when neither the layout nor the configuration names one. */
  readonly pipeline: string | undefined;
  readonly dataset: string;
  /** Where the shipper uploads this dataset, without a slash at its end. */
  readonly directory: string;
  /** Other datasets are uploaded there too: the layout has the dataset in the file name. */
  readonly sharesDirectory: boolean;
  /**
   * Where a missing table is to be created: `table_location`, or the shipper's directory; undefined if the catalog chooses.
   */
  readonly location: string | undefined;
}

/** Where a key is routed. */
export type Routing =
  | Dataset
  /**
   * Not a segment (I11): one of the table's own files, as far as that can be told without the table; the registrar's own
   * quarantine; or a name that the entry treats as hidden.
   */
  | {
      readonly kind: 'ignored';
      readonly reason: 'table-data' | 'table-metadata' | 'quarantine' | 'hidden';
      /** A directory below which the entry ignores everything for this reason, without a slash at its end. */
      readonly within?: string;
    }
  /** Reported as `key.unroutable`: not below any entry's `url`, or of a dataset that no entry accepts. */
  | {
      readonly kind: 'unroutable';
      /** The directory of a dataset that the entry does not accept, without a slash at its end. */
      readonly within?: string;
    };

/**
 * Finds the table for a key by the entries' layouts. The first entry that accepts the key wins. Keys are compared literally:
 * dots, empty segments and names like `__proto__` are ordinary names (cases.md E24).
 */
export const layoutRouter = onceFor(makeRouter);

function makeRouter(entries: readonly Entry[]): (reference: SegmentReference) => Routing {
  const layouts = entries.map(parseLayout);
  return ({ scheme, bucket, key }) => {
    const path = [`${scheme}:`, '', bucket, ...key.split('/')];
    for (const layout of layouts) {
      const routing = route(layout, path);
      if (routing !== undefined) return routing;
    }
    if (layouts.some((layout) => isHidden(layout, path))) return { kind: 'ignored', reason: 'hidden' };
    const within = layouts.map((layout) => directoryOf(layout, path)).find((one) => one !== undefined);
    return { kind: 'unroutable', ...(within !== undefined && { within }) };
  };
}

interface Layout {
  readonly entry: Entry;
  readonly root: readonly string[];
  readonly template: PathTemplate;
  /** The number of path segments of the shipper's directory. */
  readonly directoryDepth: number;
  readonly sharesDirectory: boolean;
  readonly tableLocation: PathTemplate;
  readonly quarantine: readonly string[];
}

function parseLayout(entry: Entry): Layout {
  const template = parseTemplate(entry.layout.replace(/^\{url\}\//, ''), entry.url);
  const { segments, openEnded } = template;
  const naming = ['dataset', ...placeholders(entry.table)];
  const lastNaming = segments.findLastIndex(({ names }) => names.some((name) => naming.includes(name)));
  const firstName = segments.findIndex(({ names }) => names.length > 0);
  const depth = [lastNaming + 1, firstName, segments.length].find((one) => one > 0) ?? segments.length;
  const namesFile = !openEnded && depth === segments.length;
  const directoryDepth = namesFile ? depth - 1 : depth;
  return {
    entry,
    root: entry.url.split('/'),
    template,
    directoryDepth,
    sharesDirectory: namesFile && lastNaming >= 0,
    tableLocation:
      entry.table_location === undefined
        ? { segments: segments.slice(0, directoryDepth), openEnded: false }
        : parseTemplate(entry.table_location),
    quarantine: entry.quarantine_url.split('/'),
  };
}

function route(layout: Layout, path: readonly string[]): Routing | undefined {
  const { entry, directoryDepth, sharesDirectory } = layout;
  if (isBelow(path, layout.quarantine))
    return { kind: 'ignored', reason: 'quarantine', within: entry.quarantine_url };
  const own = ownFolder(layout, path);
  if (own !== undefined) return { kind: 'ignored', reason: own.reason, within: own.directory };

  if (isHidden(layout, path)) return undefined;
  const found = matchTemplate(layout.template, path);
  const taken = found && takenBy(entry, found);
  if (taken === undefined) return undefined;
  const { pipeline, dataset, name, values } = taken;
  const directory = path.slice(0, directoryDepth).join('/');
  return {
    kind: 'table',
    entry,
    table: { namespace: entry.namespace, name },
    pipeline,
    dataset,
    directory,
    sharesDirectory,
    location: locationOf(entry.table_location, directory, values),
  };
}

interface Taken {
  readonly pipeline: string | undefined;
  readonly dataset: string;
  /** Of the table. */
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/**
 * The table for the names found in a key or a table's location; undefined for a pipeline or dataset that the entry does not
 * accept.
 */
function takenBy(entry: Entry, found: ReadonlyMap<string, string>): Taken | undefined {
  const pipeline = found.get('pipeline') ?? entry.pipeline;
  if (entry.pipeline !== undefined && pipeline !== entry.pipeline) return undefined;
  const values = new Map([...found, ...(pipeline === undefined ? [] : ([['pipeline', pipeline]] as const))]);
  const name = fill(entry.table, values);
  const dataset = found.get('dataset') ?? name;
  if (entry.from !== undefined && !entry.from.includes(dataset)) return undefined;
  return { pipeline, dataset, name, values };
}

function locationOf(
  setting: string | undefined,
  directory: string,
  values: ReadonlyMap<string, string>,
): string | undefined {
  if (setting === undefined) return directory;
  return setting === 'catalog' ? undefined : fill(setting, values);
}

/** The directory of the dataset to which the layout assigns the path, if it is a whole one. */
function directoryOf({ template, directoryDepth, sharesDirectory }: Layout, path: readonly string[]) {
  if (sharesDirectory || matchTemplate(template, path) === undefined) return undefined;
  return path.slice(0, directoryDepth).join('/');
}

/**
 * Which of a table's own directories the path is in, if any. Only for tables that the entry accepts: below the location of
 * another, `data/` may be part of another entry's `url`.
 */
function ownFolder(
  { entry, tableLocation }: Layout,
  path: readonly string[],
): { readonly reason: 'table-data' | 'table-metadata'; readonly directory: string } | undefined {
  const depth = tableLocation.segments.length;
  const folder = path.length > depth + 1 ? path[depth] : undefined;
  if (folder !== 'data' && folder !== 'metadata') return undefined;
  const found = matchTemplate(tableLocation, path.slice(0, depth));
  if (found === undefined || takenBy(entry, found) === undefined) return undefined;
  return { reason: `table-${folder}`, directory: path.slice(0, depth + 1).join('/') };
}

/**
 * Whether a name below the entry's `url` begins with a dot or underscore, as Spark and Hive define hidden files. A partition
 * directory such as `_day=1`, whose column name begins so, is not hidden (Spark, `PartitioningAwareFileIndex`).
 */
function isHidden({ entry, root }: Layout, path: readonly string[]): boolean {
  if (entry.hidden_names === 'accept' || !isBelow(path, root)) return false;
  return path.slice(root.length).some((name) => /^(\.|_[^=]*$)/s.test(name));
}

function isBelow(path: readonly string[], directory: readonly string[]): boolean {
  return path.length > directory.length && directory.every((segment, at) => segment === path[at]);
}
