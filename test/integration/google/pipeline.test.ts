import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexById } from '../../../lib/spec/schema.ts';
import type { Dataset } from '../../../local/shipper/dataset.ts';
import { events } from '../../../local/shipper/events.ts';
import { orders } from '../../../local/shipper/orders.ts';
import { type MadeSegment, makeSegment } from '../../../local/shipper/segment.ts';
import { telemetry } from '../../../local/shipper/telemetry.ts';
import { canonicalRow, sorted } from '../readers/canonical.ts';
import { describeWith } from '../services/describe-with.ts';
import { deployOnGoogle, type GoogleDeployment, MAX_DELIVERY_ATTEMPTS } from './deployment.ts';
import { pubsubOf } from './emulated.ts';
import { deployedFolder } from './function-server.ts';

describeWith(
  'on emulators of Google Cloud, the built bundle served by the Functions Framework',
  ['google'],
  ({ google }) => {
    const queue = pubsubOf(google);
    let deployed: ReturnType<typeof deployedFolder>;
    beforeAll(() => {
      deployed = deployedFolder();
    });
    afterAll(() => deployed?.remove());

    const segment = (dataset: Dataset, index: number, version = 0) =>
      makeSegment(dataset, version, index, { rows: 40 });
    const rowsOf = (dataset: Dataset, segments: readonly MadeSegment[]) =>
      sorted(segments.flatMap(({ rows }) => rows.map((row) => canonicalRow(dataset.versions[0], row))));

    describe('what a subscription holds, pulled', () => {
      let deployment: GoogleDeployment;
      const shipped = [telemetry, events].map((dataset) => ({
        dataset,
        segments: [0, 1, 2].map((index) => segment(dataset, index)),
      }));
      beforeAll(async () => {
        deployment = await deployOnGoogle(google, deployed.folder);
      });
      afterAll(() => deployment?.close());

      test('becomes one snapshot a table, with its own values and field IDs, in PyIceberg (I5)', async () => {
        const all = shipped.flatMap(({ segments }) => segments);
        for (const { key, bytes } of all) await deployment.upload(key, bytes);
        expect(await deployment.pulled(), deployment.pull.output()).toEqual({
          status: 200,
          answer: { messages: all.length, failed: 0 },
        });
        for (const { dataset, segments } of shipped) {
          const table = await deployment.table(dataset.name);
          expect(table.snapshots).toHaveLength(1);
          expect(sorted(table.rows)).toEqual(rowsOf(dataset, segments));
          expect(new Set(indexById(table.schema).keys())).toEqual(
            new Set(indexById(dataset.versions[0]).keys()),
          );
          expect(table.dataFiles.map(({ path, sizeBytes }) => [path, sizeBytes]).sort()).toEqual(
            segments.map(({ key, bytes }) => [`${deployment.url}/${key}`, String(bytes.length)]).sort(),
          );
          expect(table.metadata.location).toBe(`gs://${deployment.bucket}/tables/${dataset.name}`);
        }
      });

      test('is acknowledged, and delivered again changes nothing, by pull or by Eventarc (I2, I3)', async () => {
        const before = await deployment.table('telemetry');
        expect((await deployment.pulled()).answer).toEqual({ messages: 0, failed: 0 });
        const again = await deployment.pulled(deployment.redelivery);
        expect(again.answer).toMatchObject({ failed: 0 });
        const [first] = shipped[0]?.segments ?? [];
        expect(await deployment.cloudEvent(first?.key ?? '')).toBe(204);
        const after = await deployment.table('telemetry');
        expect(after.snapshots).toEqual(before.snapshots);
        expect(after.metadata.metadataLocation).toBe(before.metadata.metadataLocation);
      });

      test('changes the table in the commit that needs it (I4)', async () => {
        const newer = segment(telemetry, 3, 1);
        await deployment.upload(newer.key, newer.bytes);
        expect((await deployment.pulled()).answer).toEqual({ messages: 1, failed: 0 });
        const table = await deployment.table('telemetry');
        expect(table.snapshots).toHaveLength(2);
        expect(table.schema.fields).toEqual(telemetry.versions[1]?.fields);
      });

      test('is set aside where it cannot be registered, and holds up nobody (I9)', async () => {
        const good = segment(events, 4);
        const [{ key: poison }] = [segment(events, 5)];
        await deployment.upload(poison, Buffer.from('PAR1 no Parquet file PAR1'));
        await deployment.upload(good.key, good.bytes);
        await queue.send(deployment.topic, [{ body: 'no notification' }]);
        const { answer } = await deployment.pulled();
        expect(answer, deployment.pull.output()).toEqual({ messages: 3, failed: 0 });
        expect((await deployment.table('events')).dataFiles).toHaveLength(4);
        const quarantined = await deployment.quarantined();
        expect(
          quarantined.map(({ code, segment: about, body }) => [code, about?.uri ?? body]).sort(),
        ).toEqual([
          ['event.malformed', 'no notification'],
          ['segment.unreadable', `${deployment.url}/${poison}`],
        ]);
      });

      test('comes again after its back-off when it cannot be settled, and ends in the dead-letter topic', async () => {
        const body = '{"v":99,"segments":[]}';
        await queue.send(deployment.topic, [{ body }]);
        expect((await deployment.pulled()).answer).toEqual({ messages: 1, failed: 1 });
        // Its back-off has begun: it is not there before 15 s are over.
        expect((await deployment.pulled()).answer).toEqual({ messages: 0, failed: 0 });
        const counts: (string | undefined)[] = [];
        await expect
          .poll(
            async () => {
              for (const one of await queue.receive(deployment.subscription, {
                maxMessages: 10,
                waitSeconds: 0,
              })) {
                counts.push(one.attributes['ApproximateReceiveCount']);
                await queue.setVisibility(deployment.subscription, one.receiptHandle, 0);
              }
              const dead = await queue.receive(deployment.deadLetters, { maxMessages: 10, waitSeconds: 0 });
              return dead.map((one) => one.body);
            },
            { timeout: 60_000, interval: 500 },
          )
          .toContain(body);
        expect(counts).toEqual(['2', '3', '4', String(MAX_DELIVERY_ATTEMPTS)]);
      });
    });

    describe('an event a call', () => {
      let deployment: GoogleDeployment;
      beforeAll(async () => {
        deployment = await deployOnGoogle(google, deployed.folder, { tables: 'in the shipper’s directory' });
      });
      afterAll(() => deployment?.close());

      test('twelve events at once, while the same objects are pulled: every segment once (I2, I8)', async () => {
        const segments = Array.from({ length: 12 }, (_, index) => segment(orders, index));
        for (const { key, bytes } of segments) await deployment.upload(key, bytes);
        const [pulled, ...statuses] = await Promise.all([
          deployment.pulled(),
          ...segments.map(({ key }) => deployment.cloudEvent(key)),
        ]);
        // One that lost every race for the table is delivered again, as Eventarc and the subscription would.
        const failed = segments.filter((_, index) => statuses[index] !== 204);
        for (const { key } of failed) expect(await deployment.cloudEvent(key)).toBe(204);
        expect(pulled.status, deployment.pull.output()).toBe(200);
        const table = await deployment.table('orders');
        expect(table.dataFiles.map(({ path }) => path).sort()).toEqual(
          segments.map(({ key }) => `${deployment.url}/${key}`).sort(),
        );
        expect(sorted(table.rows)).toEqual(rowsOf(orders, segments));
      });

      test('of a table’s own files is ignored, and brings forth no other: Cloud Storage has no filter by suffix (I11)', async () => {
        const before = await deployment.table('orders');
        const ignored = await deployment.pulled();
        expect(ignored.answer).toEqual({ messages: expect.any(Number), failed: 0 });
        expect(ignored.answer).not.toMatchObject({ messages: 0 });
        expect((await deployment.pulled()).answer).toEqual({ messages: 0, failed: 0 });
        expect((await deployment.table('orders')).snapshots).toEqual(before.snapshots);
        expect(deployment.pull.output()).toContain('"table-metadata"');
      });

      test('that cannot be settled is answered by 500, so that it comes again (I3)', async () => {
        const event = {
          message: { data: Buffer.from('{"v":99,"segments":[]}').toString('base64'), messageId: '1' },
        };
        const response = await fetch(deployment.register.url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'ce-specversion': '1.0',
            'ce-id': '1',
            'ce-type': 'google.cloud.pubsub.topic.v1.messagePublished',
            'ce-source': `//pubsub.googleapis.com/${deployment.topic}`,
          },
          body: JSON.stringify(event),
        });
        expect(response.status).toBe(500);
        expect(await response.text()).toContain('Cannot read a chunk message of version "99"');
      });
    });
  },
);
