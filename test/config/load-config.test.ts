// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration, not of JavaScript
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../lib/config/entry.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { packText } from '../../lib/config/packed-text.ts';
import { entry } from '../fakes/entry.ts';

const minimal = { url: 's3://lake/raw', catalog_uri: 'https://catalog.example/api', namespace: 'analytics' };

describe('loadConfig: defaults', () => {
  it('three settings make an entry', async () => {
    // Of the entry that the other tests begin with, this shows that it has the defaults.
    expect(await entryOf(minimal)).toEqual(
      entry({
        ...minimal,
        namespace: ['analytics'],
        quarantine_url: 's3://lake/raw/_quarantine',
        queues: {},
        retry: { initial_ms: 200, max_ms: 10_000, jitter: 0.5 },
      }),
    );
  });

  it('reads an entry of the original as it is', async () => {
    const text = `
sources:
  - kind: postgres
sinks:
  archive: { kind: parquet }
  lake:
    kind: iceberg
    from: orders
    pipeline: cdc
    catalog_uri: https://catalog.example/
    catalog_credential:
      client_id: registrar
      client_secret: p$hunter2
      scope: catalog
      oauth2_server_uri: https://id.example/token/
    url: s3a://lake/
    namespace: analytics.raw
    create_table: true
    store:
      endpoint: http://127.0.0.1:9000
      region: eu-central-1
      allow_http: true
      access_key_id: "0123"
      secret_access_key: 1e5
    retry: { initial: 1s, max: 1.5m, jitter: 0.2 }
`;
    expect(await load(text)).toMatchObject({
      entries: [
        {
          from: ['orders'],
          pipeline: 'cdc',
          catalog_credential: { client_secret: 'p$hunter2', oauth2_server_uri: 'https://id.example/token/' },
          url: 's3://lake',
          namespace: ['analytics', 'raw'],
          create_table: true,
          store: { allow_http: true, access_key_id: '0123', secret_access_key: '1e5' },
          retry: { initial_ms: 1000, max_ms: 90_000, jitter: 0.2 },
        },
      ],
      warnings: [],
    });
  });

  it('a setting without a value, or of null, is not set', async () => {
    const text = `${JSON.stringify(minimal).slice(0, -1)}, pipeline: , branch: null, from: ~ }`;
    const entry = (await load(text)).entries[0];
    expect(entry?.branch).toBe('main');
    expect(entry).not.toHaveProperty('pipeline');
    expect(entry).not.toHaveProperty('from');
  });

  it('an empty scope is kept: none is sent', async () => {
    const catalog_credential = { client_id: 'id', client_secret: 'hunter2', scope: '' };
    expect((await entryOf({ ...minimal, catalog_credential })).catalog_credential?.scope).toBe('');
  });

  it('headers go by their names in lower case, so that none is sent twice', async () => {
    const catalog_headers = { 'User-Agent': 'lake', Authorization: 'Basic hunter2' };
    expect((await entryOf({ ...minimal, catalog_headers })).catalog_headers).toEqual({
      'user-agent': 'lake',
      authorization: 'Basic hunter2',
    });
  });

  it.each([
    ['https://sqs.eu-west-1.amazonaws.com/1/a', 'https://sqs.eu-west-1.amazonaws.com/1/r.fifo'],
    ['http://127.0.0.1:9324/000000000000/a', 'http://127.0.0.1:9324/000000000000/r.fifo'],
    ['projects/p/topics/a', 'projects/p/topics/r'],
  ])('queues are %s and %s', async (arrivals, registrations) => {
    const queues = { arrivals, registrations };
    expect((await entryOf({ ...minimal, queues })).queues).toEqual(queues);
  });

  it('a list has an entry each', async () => {
    const { entries } = await load(JSON.stringify([minimal, { ...minimal, url: 'gs://other' }]));
    expect(entries.map(({ url }) => url)).toEqual(['s3://lake/raw', 'gs://other']);
  });
});

describe('loadConfig: problems', () => {
  it('lists all of them at once, with path, value, limit and way out', async () => {
    const text = `
- url: ftp://lake
  catalog_uri: https://catalog.example
  namespace: analytics..raw
  format_version: 4
  retry: { initial: 1 second }
  create_tabel: true
- catalog_uri: catalog.example
  namespace: [analytics]
  partition_by: [day(ts), hourly(ts)]
  store: { endpont: https://s3.example }
  max_footer_bytes: 64MB
`;
    expect(await problemsOf(text)).toEqual([
      'entry 1: create_tabel is not a setting: did you mean "create_table"?',
      'entry 1: url: "ftp://lake" must name a bucket and perhaps a prefix: s3://bucket/prefix or gs://bucket/prefix',
      'entry 1: namespace: "analytics..raw" must not have an empty level',
      'entry 1: format_version: "4" must be 2 or 3',
      'entry 1: retry.initial: "1 second" must be a duration with its unit: 500ms, 1s, 5m, 2h or 1d',
      'entry 2: store.endpont is not a setting: did you mean "endpoint"?',
      'entry 2: url is missing: Prefix of every segment that this entry may read',
      'entry 2: catalog_uri: "catalog.example" must be an http:// or https:// URL without user, query and fragment',
      'entry 2: partition_by.1: "hourly(ts)" must be columns or transforms of columns: region, day(ts), bucket[16](id), truncate[4](name)',
      'entry 2: max_footer_bytes: "64MB" must be a size: a number of bytes, or 512KiB, 64MiB, 1GiB',
    ]);
  });

  it.each<[string, object, string]>([
    [
      'two ways to authenticate',
      { catalog_token: 'hunter2', catalog_sigv4: { region: 'r' } },
      'only one way',
    ],
    ['a token and Google’s', { catalog_token: 'hunter2', catalog_google: true }, 'only one way'],
    [
      'Google’s token without TLS',
      { catalog_uri: 'http://c.example', catalog_google: true },
      'use an https:// catalog_uri',
    ],
    ['roots without TLS', { catalog_uri: 'http://c.example', catalog_ca_file: 'ca.pem' }, 'https'],
    ['a certificate without its key', { catalog_client_cert: 'c.pem' }, 'set both or neither'],
    ['a key without its secret', { store: { access_key_id: 'a' } }, 'set both or neither'],
    ['an endpoint without TLS', { store: { endpoint: 'http://s3.example' } }, 'allow_http'],
    [
      'a client ID with a colon',
      { catalog_credential: { client_id: 'a:b', client_secret: 'hunter2' } },
      'colon',
    ],
    ['a credential without secret', { catalog_credential: { client_id: 'a' } }, 'client_secret is missing'],
    ['another kind of sink', { kind: 'parquet' }, 'must be one of iceberg'],
    ['a layout without url', { layout: 'x/{dataset}/…' }, 'must begin with {url}/'],
    ['two names that touch', { layout: '{url}/{a}{dataset}/…' }, 'two names touch'],
    ['a name that stands twice', { layout: '{url}/{dataset}/{dataset}/…' }, 'twice'],
    ['a rest that is not the end', { layout: '{url}/…/{dataset}' }, 'can only be its end'],
    ['a table of a name unknown to the layout', { table: '{tenant}_{dataset}' }, '{tenant}'],
    ['one table for all datasets', { table: 'all' }, 'must contain {dataset}'],
    ['one location for all tables', { table_location: 's3://lake/tables' }, 'must contain {dataset}'],
    ['a layout in the table’s own folder', { layout: '{url}/{dataset}/data/…' }, 'set table_location'],
    ['a quarantine that holds the segments', { quarantine_url: 's3://lake' }, 'url is inside it'],
    ['user and password in a URL', { catalog_uri: 'https://u:hunter2@c.example' }, 'without user'],
    [
      'a token of two lines',
      { catalog_token: 'hunter2\nhunter2' },
      'catalog_token: must be one line of Latin characters, since it is sent in a header',
    ],
    [
      'a header of two lines',
      { catalog_headers: { 'X-Key': 'hunter2\nhunter2' } },
      'catalog_headers.X-Key: must be one line of Latin characters, since it is sent in a header',
    ],
    [
      'a header of no name',
      { catalog_headers: { 'X Key': 'hunter2' } },
      'catalog_headers.X Key: must be named',
    ],
    [
      'a header of HTTP',
      { catalog_headers: { 'Transfer-Encoding': 'hunter2' } },
      'must leave "transfer-encoding"',
    ],
    [
      'an Authorization beside a token',
      { catalog_token: 'hunter2', catalog_headers: { Authorization: 'Basic hunter2' } },
      'catalog_token, catalog_headers.authorization: only one way',
    ],
    [
      'a bucket by its ARN',
      { url: 's3://arn:aws:s3:eu-west-1:123456789012:accesspoint/lake' },
      'must name a bucket as its notifications name it, not by an ARN',
    ],
    ['a layout with an asterisk', { layout: '{url}/{dataset}/*.parquet' }, '"*" has no special meaning'],
    ['a URL with an asterisk', { url: 's3://lake/raw/*' }, '"*" has no special meaning'],
    [
      'a queue by its ARN',
      { queues: { registrations: 'arn:aws:sqs:eu-west-1:123456789012:registrations.fifo' } },
      'must be the URL of a queue, https://sqs.{region}.amazonaws.com/{account}/{name}, or a topic',
    ],
    ['a queue by its name', { queues: { arrivals: 'arrivals' } }, 'must be the URL of a queue'],
    [
      'a standard queue for registrations',
      { queues: { registrations: 'https://sqs.eu-west-1.amazonaws.com/123456789012/registrations' } },
      'queues.registrations: it must be a FIFO queue, whose name ends in ".fifo"',
    ],
    [
      'a FIFO queue for arrivals',
      { queues: { arrivals: 'https://sqs.eu-west-1.amazonaws.com/123456789012/arrivals.fifo' } },
      'queues.arrivals: it must be a standard queue, since object stores cannot notify a FIFO queue',
    ],
    ['text in the place of a map', { store: 'hunter2' }, 'must be a map of settings'],
    ['a jitter above one', { retry: { jitter: '20%' } }, 'from 0 to 1'],
  ])('refuses %s', async (_title, settings, mention) => {
    const problems = await problemsOf(JSON.stringify({ ...minimal, ...settings }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(mention);
    expect(problems[0]).not.toContain('hunter2');
  });

  it.each([
    ['text that is no YAML', 'url: [s3://lake\ntoken: hunter2'],
    ['one value', 'hunter2: hunter2: x'],
    ['a list of values', '[hunter2, hunter2]'],
    ['a key that stands twice', 'catalog_token: hunter2\ncatalog_token: hunter2'],
    ['an alias without anchor', '{ url: *hunter2 }'],
    ['a merge of what is no map', '{ <<: hunter2 }'],
    ['sinks of another kind', 'sinks: [{ kind: hunter2 }]'],
  ])('refuses %s without quoting it', async (_title, text) => {
    const error = await failureOf(text);
    expect(error).toMatchObject({ code: 'config.invalid' });
    expect(String(error)).not.toContain('hunter2');
  });

  it('I10: never quotes a secret, nor what a reference stands for', async () => {
    const text = JSON.stringify({
      ...minimal,
      url: '${env:SECRET}',
      layout: '${env:SECRET}',
      catalog_uri: '${ssm:uri}',
      catalog_credential: 'id:hunter2',
      catalog_headers: { 'X-Key': ['hunter2'] },
      store: { session_token: ['hunter2'] },
    });
    const problems = await problemsOf(text, { SECRET: 'hunter2' }, { resolveSecret: async () => 'hunter2' });
    expect(problems).toContainEqual(expect.stringMatching(/^url: "\$\{env:SECRET\}" must name a bucket/));
    expect(problems).toContainEqual(expect.stringMatching(/^layout: "\$\{env:SECRET\}" must begin/));
    expect(problems.length).toBeGreaterThan(5);
    expect(problems.join()).not.toContain('hunter2');
  });
});

describe('loadConfig: entries that have much in common', () => {
  const DATASETS = Array.from({ length: 300 }, (_, at) => `dataset_${at}`);

  it('merge it by `<<`, what they write themselves taking precedence, and read a secret that they share once', async () => {
    const others = DATASETS.map((dataset) => `- { <<: *common, from: [${dataset}] }`);
    const text = `
- &common
  url: s3://lake/raw
  catalog_uri: https://catalog.example/api
  catalog_token: \${secretsmanager:prod/catalog}
  namespace: analytics
  from: [orders]
${others.join('\n')}`;
    let reads = 0;
    const resolveSecret = async () => `token ${++reads}`;
    const { entries } = await loadConfig({ REGISTRAR_CONFIG: text }, readers({ resolveSecret }));
    expect(entries.map(({ from }) => from)).toEqual([['orders'], ...DATASETS.map((dataset) => [dataset])]);
    expect(new Set(entries.map(({ catalog_token }) => catalog_token))).toEqual(new Set(['token 1']));
  });

  it('have a mistake that they share told once, with their numbers', async () => {
    const shared = { ...minimal, catalog_urls: 'x' };
    const entries = ['a', 'b', 'c'].map((dataset) => ({ ...shared, from: [dataset] }));
    const text = JSON.stringify([
      ...entries,
      { ...minimal, from: ['d'], freshness: '15' },
      { ...shared, from: ['e'] },
    ]);
    expect(await problemsOf(text)).toEqual([
      expect.stringMatching(/^entries 1–3, 5: catalog_urls is not a setting/),
      expect.stringMatching(/^entry 4: freshness: "15" must be a duration/),
    ]);
  });
});

describe('loadConfig: references', () => {
  const read = {
    readFile: async (path: string) => `content of ${path}\n`,
    resolveSecret: async (kind: string, name: string) => `${kind} ${name}`,
  };

  it('resolves them inside values, once, and leaves every other dollar alone', async () => {
    const entry = await entryOf(
      {
        ...minimal,
        catalog_token:
          'a ${env:X} b ${file:/run/t} c ${secretsmanager:arn:aws:x} d ${ssm:/p/q} $e $${env:X} $',
        table_properties: { owner: '${env:X}' },
      },
      { X: '${env:Y}', Y: 'y' },
      read,
    );
    expect(entry.catalog_token).toBe(
      'a ${env:Y} b content of /run/t c secretsmanager arn:aws:x d ssm /p/q $e ${env:X} $',
    );
    expect(entry.table_properties).toEqual({ owner: '${env:Y}' });
  });

  it('takes one line break off the end, which `echo` and editors put there', async () => {
    const catalog_credential = { client_id: '${env:ID}', client_secret: '${secretsmanager:lake}' };
    const entry = await entryOf(
      { ...minimal, catalog_credential, snapshot_properties: { note: '${ssm:note}' } },
      { ID: 'registrar\n' },
      { resolveSecret: async (kind) => (kind === 'ssm' ? 'two\n\n' : 'some-secret\r\n') },
    );
    expect(entry.catalog_credential).toEqual({ client_id: 'registrar', client_secret: 'some-secret' });
    expect(entry.snapshot_properties).toEqual({ note: 'two\n' });
  });

  it.each([
    ['${env:MISSING}', '"${env:MISSING}" names a variable that is not set: set it'],
    [
      '${vault:x}',
      '"${vault:x}" is not a reference: write ${env:…}, ${file:…}, ${secretsmanager:…}, ${ssm:…}',
    ],
    ['${env:X', '"${env:X" is not a reference'],
    ['${ssm:x}', '"${ssm:x}" cannot be resolved: AccessDenied'],
  ])('names %s, which names nothing', async (reference, mention) => {
    const text = JSON.stringify({ ...minimal, catalog_token: reference });
    const resolveSecret = () => Promise.reject(new Error('AccessDenied'));
    expect(await problemsOf(text, {}, { resolveSecret })).toEqual([
      expect.stringContaining(`catalog_token: ${mention}`),
    ]);
  });
});

describe('loadConfig: the environment', () => {
  it('overrides every kind of setting, in every entry', async () => {
    const { entries } = await load(JSON.stringify([minimal, { ...minimal, url: 's3://other' }]), {
      REGISTRAR_NAMESPACE: '[a, b]',
      REGISTRAR_CREATE_TABLE: 'true',
      REGISTRAR_STORE__REGION: '007',
      REGISTRAR_TABLE_PROPERTIES: '{ write.parquet.compression-codec: zstd }',
      REGISTRAR_RETRY__INITIAL: '5ms',
      REGISTRAR_CATALOG_TOKEN: '${env:TOKEN}',
      REGISTRAR_BRANCH: '',
      TOKEN: '{ not: yaml',
    });
    expect(entries).toHaveLength(2);
    for (const entry of entries) {
      expect(entry).toMatchObject({
        namespace: ['a', 'b'],
        create_table: true,
        store: { region: '007' },
        table_properties: { 'write.parquet.compression-codec': 'zstd' },
        retry: { initial_ms: 5 },
        catalog_token: '{ not: yaml',
        branch: 'main',
      });
    }
  });

  it('is enough alone', async () => {
    const env = {
      REGISTRAR_URL: 's3://lake',
      REGISTRAR_CATALOG_URI: 'https://catalog.example',
      REGISTRAR_NAMESPACE: 'a.b',
    };
    expect((await loadConfig(env, readers({}))).entries).toMatchObject([{ namespace: ['a', 'b'] }]);
  });

  it('names what is no setting, and what is no map', async () => {
    const env = { REGISTRAR_CATALOG_URL: 'https://c.example', REGISTRAR_TABLE_PROPERTIES: '{' };
    expect(await problemsOf(JSON.stringify(minimal), env)).toEqual([
      'REGISTRAR_CATALOG_URL is not a setting: did you mean "REGISTRAR_CATALOG_URI"?',
      'REGISTRAR_TABLE_PROPERTIES must be a map, {a: b}, as in YAML',
    ]);
  });
});

describe('loadConfig: snapshot_properties', () => {
  it.each([
    'operation',
    'added-data-files',
    'total-records',
    'deleted-records',
    'changed-partition-count',
    'partitions.day=1',
    'iceberg-registrar.segments',
    'iceberg-registrar.version',
  ])('must leave %s to the commit: the ledger and engines count on it', async (key) => {
    const snapshot_properties = { team: 'lake', [key]: '1' };
    expect(await problemsOf(JSON.stringify({ ...minimal, snapshot_properties }))).toEqual([
      `snapshot_properties: must leave "${key}" to the commit; use other names`,
    ]);
  });

  it('take any other name', async () => {
    const snapshot_properties = {
      team: 'lake',
      'additional-note': '1',
      'engine-name': 'x',
      'my.operation': 'y',
    };
    expect(await entryOf({ ...minimal, snapshot_properties })).toMatchObject({ snapshot_properties });
  });
});

it('table_properties must leave what the registrar remembers in a table to it', async () => {
  const table_properties = { owner: 'lake', 'iceberg-registrar.dataset-schema': '{}' };
  expect(await problemsOf(JSON.stringify({ ...minimal, table_properties }))).toEqual([
    'table_properties: must leave "iceberg-registrar.dataset-schema" to the registrar; use other names',
  ]);
});

describe('loadConfig: the source', () => {
  const text = JSON.stringify(minimal);
  const from = {
    readFile: async (path: string) => (path === 'registrar.yaml' ? text : ''),
    readObject: async (uri: string) => (uri === 's3://config/registrar.yaml' ? text : ''),
    resolveSecret: async (kind: string, name: string) => (`${kind} ${name}` === 'ssm /registrar' ? text : ''),
  };

  it.each([
    'registrar.yaml',
    's3://config/registrar.yaml',
    'ssm:/registrar',
    text,
    packText(text),
    'url: s3://lake/raw\ncatalog_uri: https://catalog.example/api\nnamespace: analytics',
  ])('is read from %j', async (source) => {
    const { entries } = await loadConfig({ REGISTRAR_CONFIG: source }, readers(from));
    expect(entries[0]?.url).toBe('s3://lake/raw');
  });

  it('names a source that cannot be read', async () => {
    const readFile = () => Promise.reject(new Error('ENOENT'));
    const loading = loadConfig({ REGISTRAR_CONFIG: 'registrar.yaml' }, readers({ readFile }));
    await expect(loading).rejects.toMatchObject({
      code: 'config.invalid',
      message: 'Cannot read the configuration "registrar.yaml" that REGISTRAR_CONFIG names: ENOENT',
    });
  });

  it('does not quote a packed text that was cut short (I10)', async () => {
    const cut = packText(
      Array.from({ length: 200 }, (_, at) => `catalog_token: right-token-${at}`).join('\n'),
    ).slice(0, -20);
    const error = await loadConfig({ REGISTRAR_CONFIG: cut }, readers({})).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringContaining('neither YAML') });
    expect(String(error)).not.toContain(cut.slice(5, 25));
  });

  it('does not quote what may be the configuration itself, encoded (I10)', async () => {
    const encoded = Buffer.from(`catalog_token: right-token\n${'# comment\n'.repeat(30)}`).toString('base64');
    const error = await loadConfig(
      { REGISTRAR_CONFIG: encoded },
      readers({ readFile: (path) => Promise.reject(new Error(`ENAMETOOLONG, open '${path}'`)) }),
    ).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'config.invalid', message: expect.stringContaining('neither YAML') });
    expect(String(error)).not.toContain(encoded.slice(0, 20));
  });
});

describe('loadConfig: warnings', () => {
  it('warns that the catalog’s own token endpoint is deprecated (F8)', async () => {
    const credential = { client_id: 'id', client_secret: 'hunter2' };
    const own = await load(JSON.stringify({ ...minimal, catalog_credential: credential }));
    expect(own.warnings).toStrictEqual([expect.stringContaining('oauth2_server_uri is not set')]);
    const elsewhere = { ...credential, oauth2_server_uri: 'https://login.example/token' };
    expect(
      (await load(JSON.stringify({ ...minimal, catalog_credential: elsewhere }))).warnings,
    ).toStrictEqual([]);
  });

  it.each([
    ['the same once more', {}, {}, 1],
    ['another table', {}, { table: 'other_{dataset}' }, 1],
    ['some datasets of all', {}, { from: ['orders'] }, 1],
    ['all after some', { from: ['orders'] }, {}, 0],
    ['others', { from: ['orders'] }, { from: ['events'] }, 0],
    ['another url', {}, { url: 's3://lake/other' }, 0],
  ])('warns of an entry that gets no segment: %s', async (_, one, other, count) => {
    const entries = [one, other].map((more) => ({ ...minimal, ...more }));
    const { warnings } = await load(JSON.stringify(entries));
    expect(warnings).toEqual(
      Array.from({ length: count }, () => expect.stringMatching(/^entry 2 gets no segment/)),
    );
  });

  it.each([
    ['http://catalog.example', 1],
    ['http://127.0.0.1:8181', 0],
    ['http://localhost:8181', 0],
    ['http://[::1]:8181', 0],
    ['https://catalog.example', 0],
  ])('a token for %s: %i', async (catalog_uri, count) => {
    const { warnings } = await load(JSON.stringify({ ...minimal, catalog_uri, catalog_token: 'hunter2' }));
    expect(warnings).toHaveLength(count);
    expect(warnings.join()).not.toContain('hunter2');
  });
});

type Readers = Parameters<typeof loadConfig>[1];
type Environment = Parameters<typeof loadConfig>[0];

function readers(some: Partial<Readers>): Readers {
  const none = () => Promise.reject(new Error('not to be read'));
  return { readFile: none, readObject: none, resolveSecret: none, ...some };
}

function load(text: string, env: Environment = {}, some: Partial<Readers> = {}) {
  return loadConfig({ REGISTRAR_CONFIG: text, ...env }, readers(some));
}

async function entryOf(settings: object, env: Environment = {}, some: Partial<Readers> = {}): Promise<Entry> {
  const [entry] = (await load(JSON.stringify(settings), env, some)).entries;
  if (entry === undefined) throw new Error('no entry');
  return entry;
}

async function failureOf(text: string, env: Environment = {}, some: Partial<Readers> = {}): Promise<Error> {
  try {
    await load(text, env, some);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('The configuration was accepted');
}

async function problemsOf(
  text: string,
  env: Environment = {},
  some: Partial<Readers> = {},
): Promise<string[]> {
  const { message } = await failureOf(text, env, some);
  return message
    .split('\n')
    .slice(1)
    .map((line) => line.replace(/^- /, ''));
}
