import { plainSpelling } from '../spec/object-uri.ts';
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
 */
export function ownFileTest(state: TableState): (uri: string) => boolean {
  const paths = ownPaths(state);
  return (uri) => paths.some((path) => plainSpelling(uri).startsWith(path));
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
    (path) => `${plainSpelling(path).replace(/(?<!\/)\/+$/, '')}/`,
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
