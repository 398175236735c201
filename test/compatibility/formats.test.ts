import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { quarantineIn } from '../../lib/drivers/quarantine.ts';
import { RegistrarError } from '../../lib/errors.ts';
import { decodeEvent } from '../../lib/event/decode-event.ts';
import { referenceTo, type SegmentReference } from '../../lib/event/segment-reference.ts';
import { listFailures } from '../../lib/jobs/quarantine/quarantine-list.ts';
import { quarantineSegment } from '../../lib/jobs/quarantine/quarantine-segment.ts';
import {
  hashesMention,
  readListing,
  registrationSummary,
  shortHash,
} from '../../lib/ledger/registration-summary.ts';
import { uploadSummary } from '../../lib/ledger/upload-time.ts';
import type { QuarantineRecord } from '../../lib/ports.ts';
import { chunksByTable } from '../../lib/route/chunk.ts';
import { layoutRouter } from '../../lib/route/layout.ts';
import { ownFileTest, rememberedPaths } from '../../lib/route/table-paths.ts';
import { readDatasetSchema, writeDatasetSchema } from '../../lib/schema/dataset-schema.ts';
import { version } from '../../lib/version.ts';
import { entry } from '../fakes/entry.ts';
import { seededRandom } from '../fakes/random.ts';
import { fakeStore } from '../fakes/store.ts';
import { tableState } from '../fakes/table-state.ts';
import { virtualTime } from '../fakes/time.ts';

/**
 * What one release leaves in queues, quarantine and tables, the next one finds there; and after a rollback the one before. A file a
 * release, never changed afterwards. `next.json` is what is written now; a release keeps it under its own name.
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

const next = JSON.parse(readFileSync(path.join(folder, 'next.json'), 'utf8')) as Formats;
const UPLOADED_MS = 1_795_966_382_000;
const etagOf = (at: number) => String(at).padStart(32, '0');
/** The first segments of the dataset, as many as make the ledger take each of its forms. */
const segments = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    uri: SEGMENT.replace('00001', String(at).padStart(5, '0')),
    etag: etagOf(at),
  }));

describe('what is written now is what next.json says', () => {
  test('message', () => {
    const { message } = next;
    const { references = [] } = decoded(message) ?? {};
    const items = references.map((reference) => ({
      reference,
      routing: layoutRouter([entry({ url: 's3://lake/in' })])(reference),
    }));
    const routed = items.flatMap(({ reference, routing }) =>
      routing.kind === 'table' ? [{ reference, routing }] : [],
    );
    expect(chunksByTable(routed).map((chunk) => JSON.parse(chunk.message.body))).toEqual([message]);
  });

  test('quarantine object', async () => {
    const { quarantine } = next;
    const { uri = '', etag, sizeBytes, sequencer } = quarantine.segment ?? {};
    const reference = { ...referenceTo(uri), etag, sizeBytes, sequencer } as SegmentReference;
    const error = new RegistrarError('segment.unreadable', quarantine.message ?? '');
    const put: QuarantineRecord[] = [];
    await quarantineSegment(
      reference,
      { error, table: 'lake.telemetry', absentAt: quarantine.absentAt },
      {
        quarantine: { put: async (record) => `${put.push(record)}` },
        clock: { now: () => Date.parse(quarantine.at) },
        log: { info: () => {}, warn: () => {}, error: () => {} },
      },
    );
    expect(put).toEqual([quarantine]);
  });

  test('table properties', () => {
    const { properties } = next;
    const dataset = readDatasetSchema(properties);
    expect(dataset && writeDatasetSchema(dataset)).toBe(properties['iceberg-registrar.dataset-schema']);
    const location = 's3://lake/in/thadam/v1/plant-7/telemetry';
    expect(rememberedPaths(tableState({ location, properties: {} }))).toEqual({
      'iceberg-registrar.ignored-paths': properties['iceberg-registrar.ignored-paths'],
    });
  });

  test.each([
    ['segments', 2],
    ['hashes', 40],
    ['count', 2500],
  ] as const)('snapshot summary: %s', (form, count) => {
    const summary = { ...registrationSummary(segments(count)), ...uploadSummary([UPLOADED_MS]) };
    expect(summary).toEqual(next.summaries[form]);
  });
});

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
      const failures = await listFailures({ entries: [entry()], portsOf: () => ({ quarantine: set }) });
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
      const isOwn = ownFileTest(
        tableState({ location: 's3://elsewhere/now', properties }),
        's3://lake/in/thadam/v1/plant-7/telemetry',
      );
      expect(isOwn('s3://lake/in/thadam/v1/plant-7/telemetry/data/x.parquet')).toBe(true);
      expect(isOwn(SEGMENT)).toBe(false);
    });

    test('snapshot summaries: each form of the ledger', () => {
      const listed = readListing(summaries.segments);
      expect(listed.kind === 'segments' && listed.etags.get(SEGMENT)).toBe(ETAG);
      const hashed = readListing(summaries.hashes);
      expect(hashed.kind === 'hashes' && hashesMention(hashed, shortHash(SEGMENT), ETAG)).toBe(
        'path-and-etag',
      );
      expect(readListing(summaries.count).kind).toBe('count');
    });
  },
);

function decoded(message: unknown) {
  const body = JSON.stringify(message);
  const record = { messageId: 'm', receiptHandle: 'r', eventSource: 'aws:sqs', body, attributes: {} };
  return decodeEvent({ Records: [record] }).messages[0];
}
