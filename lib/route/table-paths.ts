import type { TableState } from '../spec/table-state.ts';

const IGNORED_PATHS = 'iceberg-registrar.ignored-paths';
const PATH_PROPERTIES = [
  'write.data.path',
  'write.metadata.path',
  'write.object-storage.path',
  'write.folder-storage.path',
] as const;

/**
 * Where the table keeps its own files, in URIs that end in a slash (I11): `data/` and `metadata/` below its location, the
 * paths its properties name, and every earlier one. What lies below is no segment, since compaction writes there.
 */
export function ownPaths(state: TableState): readonly string[] {
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
    (path) => `${path.replace(/\/+$/, '')}/`,
  );
}

function earlierPaths(state: TableState): readonly string[] {
  try {
    const value: unknown = JSON.parse(state.properties[IGNORED_PATHS] ?? '[]');
    return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : [];
  } catch {
    return [];
  }
}
