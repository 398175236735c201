import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes a file from which a shell reads environment variables: `. FILE`. */
export function writeEnvironmentFile(file: string, environment: Readonly<Record<string, string>>): void {
  const exports = Object.entries(environment).map(
    ([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`,
  );
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, exports.join(''), { mode: 0o600 });
}
