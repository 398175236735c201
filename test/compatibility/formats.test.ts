import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { quarantineIn } from '../../lib/drivers/quarantine.ts';
import { decodeEvent } from '../../lib/event/decode-event.ts';
import { listFailures } from '../../lib/jobs/quarantine/quarantine-list.ts';
import { hashesMention, ledgerHashes, readListing } from '../../lib/ledger/registration-summary.ts';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { ownFileTest } from '../../lib/route/table-paths.ts';
import { readDatasetSchema } from '../../lib/schema/dataset-schema.ts';
import { version } from '../../lib/version.ts';
import { entry } from '../fakes/entry.ts';
import { seededRandom } from '../fakes/random.ts';
import { fakeStore } from '../fakes/store.ts';
import { tableState } from '../fakes/table-state.ts';
import { virtualTime } from '../fakes/time.ts';

/**
 * What one release leaves in queues, quarantine and tables, the next one finds there; and after a rollback the one before. A file a
 * release, never changed afterwards.
 */
interface Formats {
  readonly message: Readonly<Record<string, unknown>> & {
    readonly segments: readonly Readonly<Record<string, unknown>>[];
  };
  readonly quarantine: QuarantineRecord;
  readonly properties: Readonly<Record<string, string>>;
  readonly summaries: Readonly<Record<'segments' | 'hashes' | 'count', Readonly<Record<string, string>>>>;
}

const folder = path.join(import.meta.dirname, 'formats');
const releases = readdirSync(folder).map((file) => ({
  release: path.basename(file, '.json'),
  formats: JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Formats,
}));
const SEGMENT = 's3://lake/in/thadam/v1/plant-7/telemetry/2026-01-01/00/00001.parquet';
const ETAG = '00000000000000000000000000000001';

const decoded = (message: unknown) =>
  decodeEvent({
    Records: [
      {
        messageId: 'm',
        receiptHandle: 'r',
        eventSource: 'aws:sqs',
        body: JSON.stringify(message),
        attributes: {},
      },
    ],
  }).messages[0];

test('the formats of this release are among them', () => {
  expect(releases.map(({ release }) => release)).toContain(version);
});

describe.each(releases)(
  'what release $release left',
  ({ formats: { message, quarantine, properties, summaries } }) => {
    test.each([
      ['as it is', message],
      [
        'with members of a later one',
        { ...message, later: 1, segments: message.segments.map((segment) => ({ ...segment, later: 1 })) },
      ],
    ])('message: names its segments, %s', (_, sent) => {
      const [segment] = message.segments;
      expect(decoded(sent)?.references).toEqual([
        expect.objectContaining({
          bucket: segment?.['bucket'],
          key: segment?.['key'],
          etag: segment?.['etag'],
        }),
      ]);
    });

    test('message: of a later form waits for the release that knows it', () => {
      expect(decoded({ ...message, v: 2 })?.rejected).toEqual([
        expect.objectContaining({ code: 'event.newer_version', retryable: true }),
      ]);
    });

    test.each([
      ['as it is', quarantine],
      ['with members of a later one', { ...quarantine, later: 1 }],
    ])('quarantine: is listed as waiting, %s', async (_, record) => {
      const { clock } = virtualTime();
      const set = quarantineIn(fakeStore(clock), 's3://lake/quarantine', seededRandom());
      await set.put(record);
      const failures = await listFailures({ entries: [entry()], servicesOf: () => ({ quarantine: set }) });
      expect(failures).toEqual([
        expect.objectContaining({
          state: 'waiting',
          record: expect.objectContaining({
            code: quarantine.code,
            segment: quarantine.segment,
            absentAt: quarantine.absentAt,
          }),
        }),
      ]);
    });

    test('table properties: the dataset schema, and the paths that hold no segments', () => {
      const dataset = readDatasetSchema(properties);
      expect([...(dataset?.columns.keys() ?? [])]).toEqual([1, 7, 12, 20]);
      expect(dataset?.pastNames.get(7)).toEqual(['temp']);
      expect(dataset?.followed).toHaveLength(2);
      const isOwn = ownFileTest(tableState({ location: 's3://elsewhere/now', properties }));
      expect(isOwn('s3://lake/in/thadam/v1/plant-7/telemetry/data/x.parquet')).toBe(true);
      expect(isOwn(SEGMENT)).toBe(false);
    });

    test('snapshot summaries: each form of the ledger', () => {
      const listed = readListing(summaries.segments);
      expect(listed.kind === 'segments' && listed.etags.get(SEGMENT)).toBe(ETAG);
      const hashed = readListing(summaries.hashes);
      expect(
        hashed.kind === 'hashes' && hashesMention(hashed, ledgerHashes({ uri: SEGMENT, etag: ETAG })),
      ).toBe('path-and-etag');
      expect(readListing(summaries.count).kind).toBe('count');
    });
  },
);
