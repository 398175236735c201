import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chart } from '../../cli/status/status-chart.ts';
import { statusPage } from '../../cli/status/status-page.ts';
import { statusText } from '../../cli/status/status-text.ts';
import type { HealthReport } from '../../lib/jobs/health/health.ts';
import { makeSegment } from '../../local/shipper/segment.ts';
import { telemetry } from '../../local/shipper/telemetry.ts';
import { type Registration, startRegistration } from '../jobs/registration.ts';

const root = path.resolve(import.meta.dirname, '../..');

let registration: Registration;
beforeAll(async () => {
  registration = await startRegistration({ freshness: '1h' });
  for (const version of telemetry.versions.keys()) {
    const { key, bytes } = makeSegment(telemetry, version, version);
    await registration.deliver([registration.upload(key, bytes)]);
  }
});
afterAll(() => registration.close());

function start(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ['cli/main.mjs', 'status', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...registration.environment, ...more },
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (data) => {
    output.out += data;
  });
  child.stderr.on('data', (data) => {
    output.err += data;
  });
  return { child, output };
}

async function run(args: readonly string[] = []) {
  const { child, output } = start(args);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

describe('iceberg-registrar status', () => {
  test('is one line for a table that is all right, without colours in a pipe, and exits 0', async () => {
    const { code, out, err } = await run();
    expect(err).toBe('');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^lake\.telemetry {2}available {2}fresh {2}healthy {2}[\d,]+ rows, \d files, newest .* ago, .* after its upload\n.* 1 table, 1 available, fresh and healthy\n$/,
    );
  });

  test('prints one JSON object, its trend with it', async () => {
    const { out } = await run(['--json']);
    const report = JSON.parse(out) as HealthReport;
    expect(report.tables[0]?.trend.moments).toHaveLength(telemetry.versions.length);
    expect(report.tables[0]?.trend.schemas.at(-1)?.changes.length).toBeGreaterThan(0);
  });

  test('writes a page that needs nothing from anywhere', async () => {
    const file = path.join(await mkdtemp(path.join(tmpdir(), 'status-')), 'status.html');
    await run(['--html', file]);
    const page = await readFile(file, 'utf8');
    expect(page).toContain('lake.telemetry');
    expect(page).not.toMatch(/<script|<link|src=|url\(|https?:/);
    expect(page).toContain('name="viewport"');
    expect(page.match(/<svg /g)?.length).toBe(7);
  });

  test('says why a page cannot be written', async () => {
    const { code, err } = await run(['--html', '/nowhere/status.html']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^config\.invalid: Cannot write the page to "\/nowhere\/status\.html": ENOENT[^\n]*\n$/,
    );
  });

  test('exits 3 and says what to do when a table needs attention', async () => {
    const { key } = makeSegment(telemetry, 0, 9);
    await registration.deliver([registration.upload(key, Buffer.from('no Parquet'))]);
    const { code, out } = await run();
    expect(code).toBe(3);
    expect(out).toMatch(/UNHEALTHY[\s\S]*open quarantine records: 1 \(at most 0\): .*quarantine list/);
  });

  test('does not call it well where the configuration fits no key', async () => {
    const { child, output } = start([], { REGISTRAR_FROM: '["orderz"]' });
    const [code] = await once(child, 'close');
    expect({ code, err: output.err }).toEqual({ code: 3, err: '' });
    expect(output.out).toMatch(/no dataset found: .*; "s3:\/\/lake\/in\/thadam\/.*" leads to no table/);
  });

  test('says of an empty lake that there is no dataset, and exits 0', async () => {
    const { child, output } = start([], { REGISTRAR_URL: 's3://lake/nowhere' });
    const [code] = await once(child, 'close');
    expect({ code, err: output.err }).toEqual({ code: 0, err: '' });
    expect(output.out).toMatch(/no dataset found: .* expect it\n$/);
  });

  test('watches until Ctrl-C, and then exits as it last looked', async () => {
    const { child, output } = start(['--watch', '0.01']);
    while (output.out.split('\n').length < 6) await once(child.stdout, 'data');
    child.kill('SIGINT');
    const [code] = await once(child, 'close');
    expect(output.err).toBe('');
    expect(code).toBe(3);
  });

  test('watches on after a look that failed', async () => {
    registration.fault = () => ({ when: 'before', answer: { status: 503, body: 'down' } });
    const { child, output } = start(['--watch', '0.01']);
    while (!output.err.includes('\n')) await once(child.stderr, 'data');
    registration.fault = undefined;
    while (!output.out.includes('lake.telemetry')) await once(child.stdout, 'data');
    child.kill('SIGINT');
    await once(child, 'close');
    expect(output.err).toContain('store.unavailable');
  });

  test('says which configuration is missing', async () => {
    const { code, err } = await run(['--watch', 'often']);
    expect(code).toBe(1);
    expect(err).toContain('number of seconds');
  });
});

const nothing: HealthReport = {
  at: '2026-01-01T00:00:00.000Z',
  tables: [],
  notifications: [],
  unlisted: [],
  queues: [],
  events: [],
};

describe('statusText', () => {
  test('does not call a queue empty that cannot be reached', () => {
    const queue = { queue: 'registrations', url: 'https://sqs', checks: [], problem: 'down' } as const;
    expect(statusText({ ...nothing, queues: [queue] })).toContain('registrations  unknown\n    down\n');
  });
});

describe('statusText', () => {
  test('lets no name in an advice steer the terminal', () => {
    const check = { measure: 'age', value: 2, threshold: 1, ok: false, unit: 'count' } as const;
    const checks = [{ ...check, advice: 'look at lake.a\u001b[2J' }];
    const queue = { queue: 'registrations', url: 'https://sqs', messages: 2, checks } as const;
    expect(statusText({ ...nothing, queues: [queue] })).toContain('look at lake.a\\u{1b}[2J\n');
  });
});

describe('statusPage', () => {
  test('says that there is no dataset, and names an object that leads to no table', () => {
    const page = statusPage({ ...nothing, unrouted: 's3://lake/in/orderz/<1>' });
    expect(page).toContain('<h1 class="bad">No dataset found</h1>');
    expect(page).toContain('s3://lake/in/orderz/&#60;1&#62;');
  });

  test('shows hostile names as text', () => {
    const table = {
      table: '<img src=x>\u202e',
      directory: 's3://"',
      available: false,
      problem: '<script>',
      fresh: false,
      healthy: false,
      checks: [],
      openFailures: 0,
      trend: { moments: [], schemas: [] },
    };
    const page = statusPage({ ...nothing, tables: [table] });
    expect(page).not.toMatch(/<img|<script|\u202e/);
    expect(page).toContain('1 of 1 table needs attention');
  });
});

describe('chart', () => {
  test('keeps the highest point of a history of any length', () => {
    const points = Array.from({ length: 5000 }, (_, at) => ({ atMs: at, value: at === 2501 ? 100 : 1 }));
    const svg = chart(points, 'bars');
    expect(svg.match(/M/g)?.length).toBeLessThanOrEqual(160);
    expect(svg).toMatch(/ 92V4[M"]/);
  });

  test('draws a single point, and nothing without one', () => {
    expect(chart([{ atMs: 5, value: 0 }], 'line')).toContain('<circle');
    expect(chart([], 'line')).toBe('');
  });
});
