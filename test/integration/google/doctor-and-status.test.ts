import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { orders } from '../../../local/shipper/orders.ts';
import { makeSegment } from '../../../local/shipper/segment.ts';
import { describeWith } from '../services/describe-with.ts';
import { deployOnGoogle, type GoogleDeployment } from './deployment.ts';
import { deployedFolder } from './function-server.ts';

const main = path.resolve(import.meta.dirname, '../../../cli/main.mjs');

describeWith('on emulators of Google Cloud, the command line', ['google'], ({ google }) => {
  let deployed: ReturnType<typeof deployedFolder>;
  let deployment: GoogleDeployment;
  beforeAll(async () => {
    deployed = deployedFolder();
    deployment = await deployOnGoogle(google, deployed.folder);
    const { key, bytes } = makeSegment(orders, 0, 0, { rows: 20 });
    await deployment.upload(key, bytes);
    expect(await deployment.cloudEvent(key)).toBe(204);
  });
  afterAll(async () => {
    await deployment?.close();
    deployed?.remove();
  });

  async function printed(...args: readonly string[]) {
    const env = { PATH: process.env['PATH'] ?? '', ...deployment.env };
    const { stdout } = await promisify(execFile)(process.execPath, [main, ...args, '--json'], { env });
    return JSON.parse(stdout);
  }

  test('doctor looks at bucket, topic and catalog, and tries the whole way', async () => {
    const { findings } = await printed('doctor', '--table', 'orders', '--write');
    const found = Object.fromEntries(
      findings.map(({ check, ...of }: { check: string; state: string; found: string }) => [
        check,
        `${of.state}: ${of.found}`,
      ]),
    );
    expect(found).toMatchObject({
      catalog: expect.stringMatching(/^ok/),
      table: expect.stringMatching(/^ok: .* loads/),
      segments: expect.stringMatching(/^ok/),
      lifecycle: expect.stringMatching(/^ok: no lifecycle rule expires objects below gs:.* or gs:.*\/tables/),
      quarantine: expect.stringMatching(/^ok/),
      clock: expect.stringMatching(/^ok/),
      arrivals: expect.stringMatching(/^not checked/),
      // The tests' own subscriptions have no dead-letter topic.
      registrations: expect.stringMatching(
        /^warning: "projects\/tests\/subscriptions\/.*no dead-letter topic/,
      ),
      trial: expect.stringMatching(/^ok: .* at gs:.*\/tables\/iceberg_registrar_doctor_\w+ with one file/),
    });
    expect(found).not.toHaveProperty('region');
  });

  test('status finds the table available, fresh and healthy', async () => {
    expect(await printed('status')).toMatchObject({
      tables: [{ available: true, fresh: true, healthy: true }],
      notifications: [],
      queues: [],
    });
  });
});
