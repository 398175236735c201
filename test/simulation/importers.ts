import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Matches imports that remain when types are stripped. */
const IMPORT = /^(?:import|export)\b(?!\s+type\b)(?:[^;']*\bfrom)?\s+'(?<specifier>\.[^']+\.ts)'/gm;

/** The imports of each file, read once. */
const imports = new Map<string, readonly string[]>();

/** The files that are loaded by `from` and import one of these files, directly or indirectly; these files included. All by address. */
export function importersOf(from: string, these: readonly string[]): ReadonlySet<string> {
  const importers = new Map<string, Set<string>>();
  const met = new Set([from]);
  for (const file of met) {
    for (const imported of importsOf(file)) {
      met.add(imported);
      importers.set(imported, (importers.get(imported) ?? new Set()).add(file));
    }
  }
  const reaching = new Set(these);
  for (const file of reaching) for (const importer of importers.get(file) ?? []) reaching.add(importer);
  return reaching;
}

function importsOf(file: string): readonly string[] {
  const known = imports.get(file);
  if (known !== undefined) return known;
  const source = readFileSync(fileURLToPath(file), 'utf8');
  const found = [...source.matchAll(IMPORT)].map(
    ({ groups }) => new URL(groups?.['specifier'] ?? '', file).href,
  );
  imports.set(file, found);
  return found;
}
