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
 * Whether a URI is of one of the table's own files (I11): below `data/` or `metadata/` of its location, the paths its
 * properties name, or an earlier one. What lies there is no segment, since compaction writes there.
 */
export function ownFileTest(state: TableState): (uri: string) => boolean {
  const paths = ownPaths(state);
  return (uri) => paths.some((path) => plainSpelling(uri).startsWith(path));
}

/** In plain spelling, with a slash at the end. */
function ownPaths(state: TableState): readonly string[] {
  return [...new Set([...currentPaths(state), ...earlierPaths(state)])];
}

/** The property that remembers today's paths once they change; undefined when it names them all already. */
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
