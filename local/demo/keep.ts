import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeEnvironmentFile } from '../environment-file.ts';
import { pastes } from './paste.ts';
import { demoTables } from './scenario.ts';
import type { Screen } from './screen.ts';
import type { Services } from './services.ts';

/** Shows how to read a table with other engines, then waits until it is interrupted. */
export async function keepRunning({
  services: { lake, environment },
  screen,
}: {
  services: Pick<Services, 'lake' | 'environment'>;
  screen: Screen;
}): Promise<void> {
  const [first] = demoTables;
  if (first === undefined) return;
  for (const { engine, needs, text } of pastes(lake, first.table)) {
    screen.heading(`${engine} (${needs})`);
    screen.line(text);
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'iceberg-registrar-'));
  const file = path.join(folder, 'demo.env');
  writeEnvironmentFile(file, environment);
  screen.heading('The command line (from another terminal)');
  screen.line(`. ${file} && npx iceberg-registrar status --html status.html`);
  screen.heading(
    `Still running: S3 at ${lake.s3Endpoint}, the catalog at ${lake.catalogUri}. Stop it with Ctrl-C.`,
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  rmSync(folder, { recursive: true });
}
