import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { paceText } from '../../cli/pace-text.ts';
import { parseEntries } from '../../lib/config/document.ts';
import { decodeReceived } from '../../lib/event/decode-event.ts';
import type { LogRecord } from '../../lib/ports.ts';
import { checkConfig } from '../../lib/wire/configuration.ts';
import { optional, schema } from '../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { BUCKET, startRegistration } from '../jobs/registration.ts';
import { fences, pages, root, sample } from './fences.ts';

/** What of a configuration a sample may leave to the reader. */
const MINIMUM = { url: 's3://lake', namespace: 'analytics', catalog_uri: 'https://catalog.example.com' };

/** Who runs or compares the samples of a page. Commands are typed by `walk.test.ts`, YAML is loaded here, whatever the page. */
const comparedBy: Readonly<Record<string, string>> = {
  'ARCHITECTURE.md text': 'nobody: a drawing',
  'docs/backfill.md text': 'samples.test.ts',
  'docs/exactly-once.md sql': '../integration/docs/statements.test.ts',
  'docs/maintenance.md sql': '../integration/docs/statements.test.ts',
  'docs/maintenance.md text': 'samples.test.ts',
  'docs/operating.md text': 'nobody: a drawing',
  'docs/quarantine.md text': 'samples.test.ts',
  'docs/schema-evolution.md text': 'walk.test.ts',
  'docs/shippers.md python': '../shippers/fifo-recipe.test.ts',
  'docs/shippers.md sh': '../shippers/fifo-recipe.test.ts',
  'docs/shippers.md sql': '../integration/docs/statements.test.ts',
};

describe('samples of the documentation', () => {
  test('are run or compared, each by a test that names its page', () => {
    const found = fences
      .filter(({ language }) => !['', 'yaml'].includes(language))
      .map(({ page, language }) => `${page} ${language}`);
    expect([...new Set(found)].sort()).toEqual(Object.keys(comparedBy));
    for (const [of, file] of Object.entries(comparedBy).filter(([, by]) => !by.startsWith('nobody')))
      expect(readFileSync(path.join(import.meta.dirname, file), 'utf8')).toContain(of.split(/[/ ]/)[1]);
  });

  const configurations = fences
    .filter(({ language }) => language === 'yaml')
    .map((fence) => ({ ...fence, first: fence.text.split('\n')[0] }));
  test.each(configurations)(
    '$page: the configuration that begins with "$first" is valid',
    async ({ text }) => {
      const entries = await parseEntries(text);
      const variables = { CATALOG_TOKEN: 'a', SEAWEED_ACCESS_KEY: 'a', SEAWEED_SECRET_KEY: 'a' };
      await checkConfig(JSON.stringify(entries.map((entry) => ({ ...MINIMUM, ...entry }))), variables);
    },
  );

  test('docs/backfill.md shows progress as it is printed', () => {
    const pace = { count: { counted: 431_000, isAll: false }, perSecond: 1310, leftMs: undefined };
    expect(sample('docs/backfill.md', 'text')).toContain(paceText(120_000, pace, 'segments '));
  });

  test('docs/maintenance.md names the setting of readers under which other engines are tested', () => {
    const [setting = '', value] = sample('docs/maintenance.md', 'text').trim().split('=');
    expect(readFileSync(path.join(root, 'test/soak/maintenance.py'), 'utf8')).toContain(
      `"${setting.replace('.lake.', '.ice.')}": "${value}"`,
    );
  });

  const messages = pages.flatMap((page) =>
    [...readFileSync(path.join(root, page), 'utf8').matchAll(/`(\{"v":1,[^`]*)`/g)].map(([, body = '']) => ({
      page,
      body,
    })),
  );
  test.each(messages)('$page: register understands the message $body', ({ body }) => {
    const message = { messageId: '1', receiptHandle: '1', body, attributes: {} };
    expect(decodeReceived(message)).toMatchObject({ references: [{ bucket: '…', key: '…' }], rejected: [] });
  });
});

describe('what a registration leaves', () => {
  const log: LogRecord[] = [];
  const keys: string[] = [];
  beforeAll(async () => {
    const registration = await startRegistration();
    const good = writeParquet(schema(optional(1, 'id', 'int')), [{ id: 1 }]);
    await registration.deliver(
      [
        registration.upload('thadam/v1/plant/orders/good.parquet', good),
        registration.upload('thadam/v1/plant/orders/bad.parquet', Buffer.from('no Parquet')),
      ],
      'no event',
    );
    const listed = registration.stack.objects.list(BUCKET, {
      prefix: 'quarantine/',
      delimiter: '',
      after: '',
      max: 10,
    });
    keys.push(...listed.objects.map(({ key }) => key));
    await registration.close();
    log.push(...registration.log);
  });

  const page = readFileSync(path.join(root, 'docs/operating.md'), 'utf8');
  const fieldsOf = (event: string): readonly string[] => {
    const [, fields = ''] = new RegExp(`^\\| \`${event}\` \\| .* \\| (.*) \\|$`, 'm').exec(page) ?? [];
    // In parentheses: where there is something to warn of.
    return [...fields.replace(/, `warning` .*/, '').matchAll(/`(\w+)`/g)].map(([, field = '']) => field);
  };

  test.each(['committed', 'quarantined', 'registered'])(
    'log line %s has the fields that docs/operating.md names',
    (event) => {
      expect(fieldsOf(event)).not.toEqual([]);
      const line = log.find((record) => record.event === event);
      expect(Object.keys(line ?? {})).toEqual(expect.arrayContaining([...fieldsOf(event)]));
    },
  );

  test('objects in quarantine have the names of docs/quarantine.md', () => {
    const names = sample('docs/quarantine.md', 'text')
      .trim()
      .split('\n')
      .map((line) => line.replace(/\.json .*/, '.json').replace('{quarantine_url}', 'quarantine'));
    const kinds = names.map((name) => new RegExp(`^${name.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`));
    expect(keys.sort()).toEqual(kinds.map((kind) => expect.stringMatching(kind)).reverse());
  });
});
