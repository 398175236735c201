import { once } from 'node:events';
import type { Lake } from './lake.ts';
import { pastes } from './paste.ts';
import { demoTables } from './scenario.ts';
import type { Screen } from './screen.ts';

/** Tells how to read a table with other engines, then waits until it is interrupted. */
export async function keepRunning({
  services: { lake },
  screen,
}: {
  services: { lake: Lake };
  screen: Screen;
}): Promise<void> {
  const [first] = demoTables;
  if (first === undefined) return;
  for (const { engine, needs, text } of pastes(lake, first.table)) {
    screen.heading(`${engine} (${needs})`);
    screen.line(text);
  }
  screen.heading(
    `Still running: S3 at ${lake.s3Endpoint}, the catalog at ${lake.catalogUri}. End it with Ctrl-C.`,
  );
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
