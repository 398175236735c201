import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes what a shell takes an environment from: `. FILE`. */
export function writeEnvironmentFile(file: string, environment: Readonly<Record<string, string>>): void {
  const exports = Object.entries(environment).map(
    ([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`,
  );
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, exports.join(''), { mode: 0o600 });
}
