import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sqsQueue } from '../../../lib/drivers/sqs.ts';
import { RegistrarError } from '../../../lib/errors.ts';
import { type DoctorOptions, examine } from '../../../lib/jobs/doctor/doctor.ts';
import type { Finding } from '../../../lib/jobs/doctor/finding.ts';
import { tryRegistration } from '../../../lib/jobs/doctor/trial.ts';
import { registerMessages } from '../../../lib/jobs/register/register-messages.ts';
import { route } from '../../../lib/jobs/route.ts';
import type { BucketLifecycle, LifecycleRule, ServerCertificate } from '../../../lib/ports/setup.ts';
import { doctorPorts, wire } from '../../../lib/wire.ts';
import { type Stack, startStack } from '../../../local/stack.ts';
import { appendTo, creation } from '../../contract/catalog-table.ts';

let stack: Stack;
beforeEach(async () => {
  stack = await startStack({ catalog: { token: 'right-token' } });
  stack.createBucket('lake');
  vi.stubEnv('AWS_ACCESS_KEY_ID', stack.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', stack.credentials.secretAccessKey);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stack.close();
});

function wiring(changed: Readonly<Record<string, unknown>> = {}) {
  return wire({
    REGISTRAR_CONFIG: JSON.stringify({
      url: 's3://lake/in',
      catalog_uri: stack.catalogUri,
      catalog_token: 'right-token',
      namespace: 'analytics',
      retry: { initial: '1ms', max: '1ms' },
      store: { endpoint: stack.s3Endpoint, region: stack.region, allow_http: true },
      ...changed,
    }),
  });
}

let rules: readonly LifecycleRule[] | undefined;
let lifecycle: BucketLifecycle;
let region: string | undefined;
beforeEach(() => {
  rules = [];
  lifecycle = { read: async () => rules };
  region = stack.region;
});

/** Lifecycle rules, the region and the way of notifications are scripted. */
function portsOf(made: Awaited<ReturnType<typeof wiring>>) {
  return {
    ...doctorPorts(made),
    lifecycleOf: () => lifecycle,
    notificationsOf: () => ({ read: async () => ({ EventBridgeConfiguration: {} }) }),
    regionOf: () => ({ read: async () => ({ asked: stack.region, actual: region }) }),
  };
}

const queueUrls = new Map<string, string>();
afterEach(() => queueUrls.clear());

/** The URL of a queue that `findings` created. */
function queueUrl(name: string): string {
  return queueUrls.get(name) ?? '';
}

/** The findings of a set-up that is right but for `changed`, by check. */
async function findings(
  changed: Readonly<Record<string, unknown>> = {},
  table?: string,
  options: DoctorOptions = {},
) {
  const queue = (name: string, fifo: boolean) => {
    const attributes = { fifo, visibilitySeconds: 360, deadLetter: { maxReceiveCount: 20 } };
    queueUrls.set(name, stack.createQueue(name, attributes).url);
    return queueUrl(name);
  };
  const made = await wiring({
    create_table: true,
    queues: { arrivals: queue('arrivals', false), registrations: queue('registrations', true) },
    ...changed,
  });
  const all = await examine(portsOf(made), { ...(table !== undefined && { table }), ...options });
  return new Map(all.map((finding): [string, Finding] => [finding.check, finding]));
}

describe('examine finds a right set-up right', () => {
  test('objects of which none leads to a table are not taken for segments', async () => {
    stack.objects.put('lake', 'in/quarantine/lake.orders/x/1.json', Buffer.from('{}'));
    stack.objects.put('lake', 'in/thadam/v2/plant/orders/a.parquet', Buffer.from('12345678'));
    const segments = (await findings()).get('segments');
    expect(segments?.state).toBe('warning');
    expect(segments?.found).toMatch(/^no key of \d objects below .* such as "s3:\/\/lake\/in\//);
    expect(segments?.wayOut).toBe('check layout, pipeline and from');
  });

  test('every check is ok, and the record it writes is no failure that waits', async () => {
    stack.objects.put('lake', 'in/thadam/v1/plant/orders/a.parquet', Buffer.from('12345678'));
    const found = await findings({}, 'orders');
    expect([...found.values()].filter(({ state }) => state !== 'ok')).toStrictEqual([]);
    expect([...found.keys()].toSorted()).toStrictEqual([
      'arrivals',
      'authentication',
      'catalog',
      'clock',
      'creation',
      'lifecycle',
      'notifications',
      'quarantine',
      'region',
      'registrations',
      'segments',
      'table',
      'versions',
    ]);
  });
});

describe('examine says what to change', () => {
  test.each([
    ['catalog', { catalog_uri: 'http://127.0.0.1:1' }, /ECONNREFUSED/, /check catalog_uri/],
    ['tls', { catalog_uri: 'https://127.0.0.1:1' }, /ECONNREFUSED/, /check catalog_uri/],
    [
      'catalog',
      { catalog_warehouse: 'lake' },
      /does not tell its version, warehouse "lake", paths begin with \/v1, \d+ endpoints are listed/,
      undefined,
    ],
    ['catalog', { catalog_token: 'wrong-token' }, /auth\.failed.*401/, /check the credentials/],
    ['creation', {}, /create_via "auto"; the catalog lists register, commit, create/, undefined],
    ['table', { create_table: false }, /"analytics.orders" is not there/, /create_table: true/],
    ['segments', {}, /is empty/, /check url/],
    ['segments', { url: 's3://nowhere' }, /NoSuchBucket/, /create the bucket or correct the URL/],
    [
      'quarantine',
      { quarantine_url: 's3://nowhere/q' },
      /NoSuchBucket/,
      /create the bucket or correct the URL/,
    ],
  ] as const)('%s with %j', async (check, changed, saying, wayOut) => {
    const finding = (await findings(changed, 'orders')).get(check);
    expect(finding?.found).toMatch(saying);
    if (wayOut !== undefined) expect(finding?.wayOut).toMatch(wayOut);
    expect(JSON.stringify(finding)).not.toContain('wrong-token');
  });

  test('what lies behind a catalog that is not reached is not checked, the rest is', async () => {
    const found = await findings({ catalog_uri: 'http://127.0.0.1:1' });
    expect(found.get('authentication')?.state).toBe('not checked');
    expect(found.get('quarantine')?.state).toBe('ok');
  });

  test('a table that somebody else appends to as well', async () => {
    const table = { namespace: ['analytics'], name: 'orders' };
    const { entries, portsOf } = await wiring({ create_table: true });
    const catalog = entries[0] && portsOf(entries[0]).catalog;
    await catalog?.createNamespace(table.namespace);
    await catalog?.commit(table, creation('s3://lake/orders'));
    const made = await catalog?.load(table);
    if (made !== undefined) await catalog?.commit(table, { requirements: [], updates: appendTo(made, 1n) });
    expect((await findings({}, 'orders')).get('table')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('1 of its 1 retained appends are of other writers'),
    });
  });

  test('queues that are not there, too eager, or without a dead-letter queue', async () => {
    const eager = stack.createQueue('eager', { fifo: true, visibilitySeconds: 30 }).url;
    const wrong = await findings({
      queues: { arrivals: eager.replace('eager.fifo', 'absent'), registrations: eager },
    });
    expect(wrong.get('arrivals')).toMatchObject({
      state: 'failed',
      wayOut: 'create the queue or correct its URL',
    });
    expect(wrong.get('registrations')).toMatchObject({
      state: 'failed',
      wayOut: expect.stringContaining('360 s'),
    });
    const bareUrl = stack.createQueue('bare', { fifo: true, visibilitySeconds: 360 }).url;
    const bare = await findings({ queues: { registrations: bareUrl } });
    expect(bare.get('registrations')).toMatchObject({ state: 'warning', wayOut: 'give it a redrive policy' });
    expect(bare.get('arrivals')).toMatchObject({ state: 'not checked' });
  });

  test.each([
    ['in/', 'failed'],
    ['', 'failed'],
    ['in/archive/', 'failed'],
    ['elsewhere/', 'ok'],
  ] as const)('a lifecycle rule that expires objects below "%s": %s', async (prefix, state) => {
    rules = [
      { prefix: 'in/', expires: false },
      { id: 'old', prefix, expires: true },
    ];
    const found = (await findings()).get('lifecycle');
    expect(found?.state).toBe(state);
    if (state === 'failed')
      expect(found?.found).toContain('"old" of bucket "lake" expires objects below s3://lake/in');
  });

  test('a lifecycle rule of the bucket that tables are made in', async () => {
    const asked: string[] = [];
    lifecycle = {
      read: async (bucket) => {
        asked.push(bucket);
        return bucket === 'tables' ? [{ prefix: '', expires: true }] : [];
      },
    };
    const found = (await findings({ table_location: 's3://tables/all/{dataset}' })).get('lifecycle');
    expect(asked).toEqual(['lake', 'tables']);
    expect(found).toMatchObject({
      state: 'failed',
      found: expect.stringContaining(
        'for all objects of bucket "tables" expires objects below s3://tables/all',
      ),
    });
  });

  test('a bucket of another region', async () => {
    region = 'ap-south-1';
    expect((await findings()).get('region')).toMatchObject({
      state: 'warning',
      found: expect.stringContaining('bucket "lake" is in "ap-south-1"'),
      wayOut: expect.stringContaining('set store.region to ap-south-1'),
    });
    region = undefined;
    expect((await findings()).get('region')?.state).toBe('not checked');
  });

  const DAY_MS = 24 * 60 * 60_000;
  const certificate = { protocol: 'TLSv1.3', subject: 'catalog', issuer: 'Lake CA' };

  test.each<[string, ServerCertificate | undefined, string, RegExp]>([
    [
      'that is good for long',
      { ...certificate, validToMs: Date.now() + 90 * DAY_MS },
      'ok',
      /^TLSv1.3: "catalog" by "Lake CA", trusted by the platform’s roots, valid until 2\d{3}-/,
    ],
    ['that soon ends', { ...certificate, validToMs: Date.now() + 10 * DAY_MS }, 'warning', /valid until/],
    ['that a proxy hides', undefined, 'not checked', /HTTPS_PROXY/],
  ])('a certificate %s', async (_, shown, state, saying) => {
    const ports = {
      ...portsOf(await wiring({ catalog_uri: 'https://127.0.0.1:1' })),
      certificateOf: async () => shown,
    };
    expect((await examine(ports)).find(({ check }) => check === 'tls')).toMatchObject({
      state,
      found: expect.stringMatching(saying),
    });
  });

  const topic = 'projects/p/topics/arrivals';
  const subscription = {
    name: 'projects/p/subscriptions/s',
    deadlineSeconds: 600,
    maxDeliveryAttempts: 100,
  };

  test.each([
    ['right', [subscription], 'ok', undefined],
    ['received by nobody', [], 'failed', /create a subscription/],
    [
      'handed out again too early',
      [subscription, { ...subscription, deadlineSeconds: 10 }],
      'failed',
      /deadline to 600 s/,
    ],
    [
      'never given up',
      [{ ...subscription, maxDeliveryAttempts: undefined }],
      'warning',
      /dead-letter policy/,
    ],
  ] as const)('a topic of Pub/Sub, %s', async (_, subscriptions, state, wayOut) => {
    const asked: string[] = [];
    const ports = portsOf(await wiring({ queues: { registrations: topic } }));
    const ofTopic = async (name: string) => {
      asked.push(name);
      return subscriptions;
    };
    const found = await examine({ ...ports, queueSetups: { ...ports.queueSetups, ofTopic } });
    const finding = found.find(({ check }) => check === 'registrations');
    expect(asked).toEqual([topic]);
    expect(finding?.state).toBe(state);
    if (wayOut !== undefined) expect(finding?.wayOut).toMatch(wayOut);
  });

  test('a store without lifecycle rules', async () => {
    rules = undefined;
    expect((await findings()).get('lifecycle')?.state).toBe('not checked');
  });

  test('an old Node', async () => {
    const ports = { ...portsOf(await wiring()), nodeVersion: 'v22.1.0' };
    const [versions] = await examine(ports);
    expect(versions).toMatchObject({
      check: 'versions',
      state: 'warning',
      found: expect.stringMatching(/^iceberg-registrar \d.* on Node v22\.1\.0$/),
    });
  });

  test('a clock that is apart from the store’s', async () => {
    const behind = { now: () => Date.now() - 20 * 60_000 };
    const found = await examine({ ...portsOf(await wiring()), clock: behind });
    expect(found.find(({ check }) => check === 'clock')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(/1[12]\d\d s apart/),
    });
  });
});

/** What waits in a queue, as Lambda hands it to a function. */
async function sqsEvent(name: string) {
  const received = await sqsQueue().receive(queueUrl(name), { maxMessages: 10, waitSeconds: 0 });
  return { Records: received.map((message) => ({ ...message, eventSource: 'aws:sqs' })) };
}

describe('examine writes as much as it may', () => {
  const written = () =>
    stack.objects
      .list('lake', { prefix: '', delimiter: '', after: '', max: 1_000 })
      .objects.map(({ key }) => key);

  test('nothing', async () => {
    const found = await findings({}, undefined, { writes: 'nothing' });
    expect(found.has('quarantine')).toBe(false);
    expect(found.has('trial')).toBe(false);
    expect(written()).toEqual([]);
  });

  test('a table of its own, where no key is a segment', async () => {
    const found = (
      await findings({ partition_by: ['region'], branch: 'audit' }, undefined, { trial: tryRegistration })
    ).get('trial');
    expect(found).toMatchObject({ state: 'ok' });
    const name = /"analytics\.(iceberg_registrar_doctor_[0-9a-f]{8})"/.exec(found?.found ?? '')?.[1] ?? '';
    const made = portsOf(await wiring());
    const [entry] = made.entries;
    const table = entry && (await made.portsOf(entry).catalog.load({ namespace: ['analytics'], name }));
    expect(table?.metadata['location']).toBe(`s3://lake/in/_temporary/iceberg-registrar/${name}`);
    expect(table?.metadata['snapshots']).toEqual([
      expect.objectContaining({ summary: expect.objectContaining({ 'added-records': '1' }) }),
    ]);
    expect(written().filter((key) => !/^(in\/_temporary|quarantine|in\/_quarantine)\//.test(key))).toEqual(
      [],
    );
  });

  test('one message a queue, which route and register acknowledge as a test (E6)', async () => {
    const found = await findings({}, undefined, { trial: tryRegistration });
    expect(found.get('arrivals')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(
        /after 20 receives; a test message was sent to it; receiving is not tried/,
      ),
    });
    expect(found.get('registrations')).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/was sent to it; changing the visibility of a message is not denied; rec/),
    });

    const made = await wiring({ queues: { registrations: queueUrl('registrations') } });
    const unchanged = written();
    const arrived = await sqsEvent('arrivals');
    expect(arrived.Records).toHaveLength(1);
    expect(await route(arrived, made)).toEqual({ batchItemFailures: [] });
    const registrations = await sqsEvent('registrations');
    expect(registrations.Records).toEqual([
      expect.objectContaining({
        attributes: expect.objectContaining({ MessageGroupId: 'iceberg-registrar-doctor' }),
      }),
    ]);
    const ports = { ...made, queueUrl: undefined };
    expect(await registerMessages(registrations, ports, () => 60_000)).toEqual({ batchItemFailures: [] });
    expect(written()).toEqual(unchanged);
    expect((await sqsEvent('registrations')).Records).toEqual([]);
  });

  test('a message each time, although SQS drops what repeats a deduplication ID', async () => {
    await findings({}, undefined, { trial: tryRegistration });
    const again = await wiring({ queues: { registrations: queueUrl('registrations') } });
    await examine(portsOf(again), { trial: tryRegistration });
    expect((await sqsEvent('registrations')).Records).toHaveLength(2);
  });

  test('no message to a queue that fails its check', async () => {
    const eager = stack.createQueue('eager', { fifo: true, visibilitySeconds: 30 }).url;
    queueUrls.set('eager', eager);
    await findings({ queues: { registrations: eager } }, undefined, { trial: tryRegistration });
    expect((await sqsEvent('eager')).Records).toEqual([]);
  });

  test.each([
    ['send', /auth\.failed: Cannot send/],
    ['setVisibility', /auth\.failed: Cannot set the visibility/],
  ] as const)('a queue on which %s is denied', async (denied, saying) => {
    const ports = portsOf(
      await wiring({
        queues: { registrations: stack.createQueue('r', { fifo: true, visibilitySeconds: 360 }).url },
      }),
    );
    const refuse = async () => {
      throw new RegistrarError('auth.failed', `Cannot ${denied === 'send' ? 'send' : 'set the visibility'}`);
    };
    const queue = { ...ports.queue, [denied]: refuse };
    const found = await examine({ ...ports, queue }, { trial: tryRegistration });
    expect(found.find(({ check }) => check === 'registrations')).toMatchObject({
      state: 'failed',
      found: expect.stringMatching(saying),
      wayOut: expect.stringMatching(/check the credentials/),
    });
  });

  test('a table where the tables of this configuration are made', async () => {
    const table_location = 's3://lake/tables/{pipeline}/{dataset}';
    const found = (await findings({ table_location }, undefined, { trial: tryRegistration })).get('trial');
    expect(found).toMatchObject({
      state: 'ok',
      found: expect.stringMatching(/ at s3:\/\/lake\/tables\/iceberg_registrar_doctor_\w+\//),
    });
    expect(
      written().filter((key) => /^tables\/(iceberg_registrar_doctor_[0-9a-f]{8})\/\1\/metadata\//.test(key)),
    ).not.toEqual([]);
  });

  test('a table where the catalog puts its tables', async () => {
    const found = (
      await findings({ table_location: 'catalog', create_via: 'create' }, undefined, {
        trial: tryRegistration,
      })
    ).get('trial');
    expect(found).toMatchObject({ state: 'ok', found: expect.stringContaining('where the catalog puts') });
  });

  test('a trial that the catalog refuses says why', async () => {
    const found = await findings({ create_via: 'create', catalog_uri: 'http://127.0.0.1:1' }, undefined, {
      trial: tryRegistration,
    });
    expect(found.get('trial')).toMatchObject({ state: 'not checked' });
  });
});
