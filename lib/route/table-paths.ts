import { RegistrarError } from '../errors.ts';
import { plainSpelling, withoutEndSlashes } from '../spec/object-uri.ts';
import { formatIdentifier } from '../spec/table-identifier.ts';
import type { TableState } from '../spec/table-state.ts';

const IGNORED_PATHS = 'iceberg-registrar.ignored-paths';
const PATH_PROPERTIES = [
  'write.data.path',
  'write.metadata.path',
  'write.object-storage.path',
  'write.folder-storage.path',
] as const;

/**
 * Tests whether a URI is one of the table's own files (I11): below `data/` or `metadata/` of its location, a path that its
 * properties name, or an earlier one of these. Such files are never segments, since compaction writes there.
 *
 * @param directory where the dataset's segments are uploaded, without a trailing slash
 * @throws `table.unsupported` when one of these paths holds that directory: every segment would be taken for the table's own
 */
export function ownFileTest(state: TableState, directory: string): (uri: string) => boolean {
  const paths = ownPaths(state);
  const around = paths.find((path) => `${plainSpelling(directory)}/`.startsWith(path));
  if (around !== undefined) throw indistinct(state, around, directory);
  return (uri) => {
    const plain = plainSpelling(uri);
    return paths.some((path) => plain.startsWith(path));
  };
}

function indistinct(state: TableState, path: string, directory: string): RegistrarError {
  const table = formatIdentifier(state.identifier);
  return new RegistrarError(
    'table.unsupported',
    `Cannot register in table "${table}": its own files go to "${path}", and its segments are uploaded to "${directory}", so nothing tells one from the other; ` +
      `set its location, or write.data.path and the like, to a path of its own, and take this one out of ${IGNORED_PATHS}`,
    { context: { table } },
  );
}

/** The table's own directories in plain spelling, each with a trailing slash. */
function ownPaths(state: TableState): readonly string[] {
  return [...new Set([...currentPaths(state), ...earlierPaths(state)])];
}

/** The table property that records the present paths, for when they change later; undefined if it already has all of them. */
export function rememberedPaths(state: TableState): Readonly<Record<string, string>> | undefined {
  const earlier = earlierPaths(state);
  return currentPaths(state).every((path) => earlier.includes(path))
    ? undefined
    : { [IGNORED_PATHS]: JSON.stringify(ownPaths(state)) };
}

function currentPaths(state: TableState): readonly string[] {
  const configured = PATH_PROPERTIES.flatMap((name) => state.properties[name] ?? []);
  return [`${state.location}/data`, `${state.location}/metadata`, ...configured].map(
    (path) => `${withoutEndSlashes(plainSpelling(path))}/`,
  );
}

function earlierPaths(state: TableState): readonly string[] {
  try {
    const value: unknown = JSON.parse(state.properties[IGNORED_PATHS] ?? '[]');
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string').map(plainSpelling) : [];
  } catch {
    return [];
  }
}
