import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

describe('explain: the command', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'explain-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('--json prints the explanation as one JSON object', async () => {
    const { stdout, exitCode } = await run('events/s3-put.json', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      objects: [
        {
          messageId: '6d3c6f4a-0f3c-4d5e-9c58-000000000001',
          bucket: 'lake',
          key: 'thadam/v1/cdc/orders/2026-03-14/part-0001.parquet',
          size: 48213,
          etag: 'fcdb7e5e3644d1a4a2d42032f3f22084',
          sequencer: '0066F1A2B3C4D5E6',
        },
      ],
      ignored: [],
      rejected: [],
    });
  });

  it('says it to people, message by message', async () => {
    const { stdout } = await run('events/s3-mixed-batch.json');
    expect(stdout.split('\n')).toEqual([
      'message 6d3c6f4a-0f3c-4d5e-9c58-000000000002',
      '  object    "lake" "thadam/v1/cdc/orders/2026-03-14/part-0001.parquet", size 48213, etag fcdb7e5e3644d1a4a2d42032f3f22084, sequencer 0066F1A2B3C4D5E6',
      '  object    "lake" "thadam/v1/cdc/orders/2026-03-14/part 0002 50%.parquet", size 51742, etag 1b267619c4812cc46ee281747884ca50, sequencer 0066F1A2B3C4D5E7',
      'message 6d3c6f4a-0f3c-4d5e-9c58-000000000001',
      '  ignored   test-event',
      'message 6d3c6f4a-0f3c-4d5e-9c58-000000000003',
      '  ignored   removed',
      '  rejected  event.malformed: Cannot decode the key "thadam/v1/cdc/orders/100%done.parquet" of an S3 notification: it must be percent-encoded UTF-8',
      '2 objects, 2 ignored, 1 rejected',
      '',
    ]);
  });

  it('shows no control character of a key to the terminal', async () => {
    const file = await write({ v: 1, segments: [{ bucket: 'b', key: 'a\u001b[2J\u009b' }] });
    expect((await run(file)).stdout).toContain(String.raw`"a\u{1b}[2J\u{9b}"`);
  });

  it('exits 3 when everything in the event is rejected', async () => {
    expect(await run(await write({ Records: [] }))).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining('0 objects, 0 ignored, 1 rejected'),
    });
    expect((await run('events/s3-mixed-batch.json')).exitCode).toBe(0);
  });

  it('E18: fails for an event that could not be reported on', async () => {
    const file = await write({ Records: [{ body: '{}', eventSource: 'aws:sqs' }] });
    expect(await run(file, '--json')).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('event.malformed: Cannot report on a batch'),
    });
  });

  it.each([
    ['a file that is not there', 'nothing.json', 'nothing.json": there is no such file'],
    ['a directory', 'lib', 'lib": it is a directory'],
    ['a file that is no JSON', 'README.md', 'README.md": it is not JSON'],
  ])('fails for %s and names it', async (_title, file, mention) => {
    const { exitCode, stderr } = await run(file);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Cannot read the event');
    expect(stderr).toContain(mention);
  });

  async function write(event: unknown): Promise<string> {
    const file = path.join(folder, 'event.json');
    await writeFile(file, JSON.stringify(event));
    return file;
  }
});

async function run(...args: readonly string[]) {
  const node = [path.join(root, 'cli/main.mjs'), 'explain', ...args];
  try {
    return { exitCode: 0, ...(await promisify(execFile)(process.execPath, node, { cwd: root })) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { exitCode: code, stdout, stderr };
  }
}
