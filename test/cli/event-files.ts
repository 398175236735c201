import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A file with an event, as a user hands it to a command. */
export function eventFile(event: unknown): string {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'event-')), 'event.json');
  writeFileSync(file, JSON.stringify(event));
  return file;
}

/** What S3 sends when notifications are configured. */
export const testEvent = {
  Service: 'Amazon S3',
  Event: 's3:TestEvent',
  Time: '2026-03-14T09:26:53.589Z',
  Bucket: 'lake',
};
