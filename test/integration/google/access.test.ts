import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpService, startHttpService } from '../../../local/http-service.ts';
import { orders } from '../../../local/shipper/orders.ts';
import { makeSegment } from '../../../local/shipper/segment.ts';
import { describeWith } from '../services/describe-with.ts';
import { deployOnGoogle, type GoogleDeployment } from './deployment.ts';
import { deployedFolder } from './function-server.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const segment = (index: number) => makeSegment(orders, 0, index, { rows: 20 });

describeWith('on emulators of Google Cloud, what is not as it should be', ['google'], ({ google }) => {
  let deployed: ReturnType<typeof deployedFolder>;
  beforeAll(() => {
    deployed = deployedFolder();
  });
  afterAll(() => deployed?.remove());

  describe('a service account that may not', () => {
    let deployment: GoogleDeployment;
    let front: HttpService;
    /** What Cloud Storage refuses: the emulator asks nobody who they are. */
    let refused: (method: string, url: string) => boolean = () => false;

    beforeAll(async () => {
      front = await startHttpService(async ({ method, path: encoded, query, headers, body }) => {
        const url = `${encoded}?${query}`;
        if (refused(method, url)) return forbidden;
        const { range } = headers;
        const response = await fetch(`${google.storageEndpoint}${url}`, {
          method,
          headers: { 'accept-encoding': 'gzip', ...(range !== undefined && { range }) },
          ...(method !== 'GET' && { body }),
        });
        const { 'content-encoding': _, ...answered } = Object.fromEntries(response.headers);
        return {
          status: response.status,
          headers: answered,
          body: new Uint8Array(await response.arrayBuffer()),
        };
      });
      deployment = await deployOnGoogle(google, deployed.folder, { endpoint: front.url });
    });
    afterAll(async () => {
      await deployment?.close();
      await front?.close();
    });

    test('read one segment: it is set aside as denied, and the others are registered', async () => {
      const [shut, open] = [segment(0), segment(1)];
      refused = (method, url) => method === 'GET' && url.includes(encodeURIComponent(shut.key));
      for (const { key, bytes } of [shut, open]) await deployment.upload(key, bytes);
      expect((await deployment.pulled()).answer, deployment.pull.output()).toEqual({
        messages: 2,
        failed: 0,
      });
      expect((await deployment.table('orders')).dataFiles.map((file) => file.path)).toEqual([
        `${deployment.url}/${open.key}`,
      ]);
      expect(await deployment.quarantined()).toMatchObject([
        {
          code: 'segment.denied',
          segment: { uri: `${deployment.url}/${shut.key}` },
          message: expect.stringContaining('storage.objects.get'),
        },
      ]);
    });

    test('write manifests: nothing is registered, nothing acknowledged, and all of it once it may', async () => {
      const { key, bytes } = segment(2);
      await deployment.upload(key, bytes);
      refused = (method) => method === 'POST';
      expect((await deployment.pulled()).answer).toEqual({ messages: 1, failed: 1 });
      expect(deployment.pull.output()).toContain('"code":"auth.failed"');
      expect(await deployment.cloudEvent(key)).toBe(500);
      expect((await deployment.table('orders')).dataFiles).toHaveLength(1);
      refused = () => false;
      expect(await deployment.cloudEvent(key)).toBe(204);
      expect((await deployment.table('orders')).dataFiles).toHaveLength(2);
    });
  });

  describe('a segment whose notification never came', () => {
    let deployment: GoogleDeployment;
    beforeAll(async () => {
      deployment = await deployOnGoogle(google, deployed.folder);
    });
    afterAll(() => deployment?.close());

    test('is found by reconcile, sent to the topic, and registered by the next pull (I9)', async () => {
      const [first, lost] = [segment(0), segment(1)];
      for (const { key, bytes } of [first, lost]) await deployment.upload(key, bytes);
      expect(await deployment.cloudEvent(first.key)).toBe(204);
      await deployment.acknowledgeAll();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [path.join(root, 'cli/main.mjs'), 'reconcile', '--grace', '0', '--enqueue', '--json'],
        { env: { PATH: process.env['PATH'] ?? '', ...deployment.env } },
      );
      expect(stdout).toContain(`${deployment.url}/${lost.key}`);
      expect((await deployment.pulled()).answer).toEqual({ messages: 1, failed: 0 });
      expect((await deployment.table('orders')).dataFiles).toHaveLength(2);
    });
  });
});

/** As Cloud Storage says it. */
const message =
  'tests@example.iam.gserviceaccount.com does not have storage.objects.get access to the object.';
const forbidden = {
  status: 403,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    error: { code: 403, message, errors: [{ message, domain: 'global', reason: 'forbidden' }] },
  }),
};
