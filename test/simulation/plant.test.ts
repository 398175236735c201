import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { bugs } from './bugs.ts';

interface Found {
  readonly bug: string;
  readonly seed: number | null;
}

/** A process of its own: bugs are planted as Node loads the source, and the test runner loads it otherwise. */
describe('simulate, with a bug planted, finds that', () => {
  let found: ReadonlyMap<string, Found>;

  beforeAll(async () => {
    const script = new URL('plant.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [script, '--seeds', '6000']);
    const lines = stdout.trim().split('\n');
    found = new Map(lines.map((line) => JSON.parse(line) as Found).map((one) => [one.bug, one]));
  }, 600_000);

  test.each(Object.keys(bugs))('%s', (bug) => {
    expect(found.get(bug)?.seed).toBeGreaterThan(0);
  });
});
