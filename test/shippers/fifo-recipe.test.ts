import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateEntry } from '../../lib/config/validate.ts';
import { decodeReceived } from '../../lib/event/decode-event.ts';
import { chunksByTable } from '../../lib/route/chunk.ts';
import { layoutRouter } from '../../lib/route/layout.ts';

/** docs/shippers.md, "Straight to the FIFO queue": its examples, what they would send to AWS taken in its place. */
const page = readFileSync(path.join(import.meta.dirname, '../../docs/shippers.md'), 'utf8');
const example = (language: string) =>
  new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1] ?? '';

const TAKEN_SHELL = `aws() { for one in "$@"; do printf '%s\\n' "$one"; done; }\n`;
const TAKEN_PYTHON = `
import json, sys, types
sys.modules["boto3"] = types.SimpleNamespace(
    client=lambda *_, **__: types.SimpleNamespace(send_message=lambda **sent: print(json.dumps(sent))))
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

interface Sent {
  readonly queueUrl: string | undefined;
  readonly body: string | undefined;
  readonly groupId: string | undefined;
  readonly deduplicationId: string | undefined;
}

function sentByShell(script: string): Sent {
  const words = execFileSync('sh', ['-euc', TAKEN_SHELL + script], { encoding: 'utf8' }).split('\n');
  const option = (name: string) => words[words.indexOf(name) + 1];
  return {
    queueUrl: option('--queue-url'),
    body: option('--message-body'),
    groupId: option('--message-group-id'),
    deduplicationId: option('--message-deduplication-id'),
  };
}

function sentByPython(script: string): Sent {
  const text = execFileSync('python3', ['-c', TAKEN_PYTHON + script], { encoding: 'utf8' });
  const sent = JSON.parse(text) as Record<string, string>;
  return {
    queueUrl: sent['QueueUrl'],
    body: sent['MessageBody'],
    groupId: sent['MessageGroupId'],
    deduplicationId: sent['MessageDeduplicationId'],
  };
}

/** What the router sends for the same segment. */
function sentByRouter(table: string, warehouse?: string) {
  const settings = {
    url: 's3://lake/in',
    layout: `{url}/${table}/…`,
    table,
    namespace: 'analytics',
    catalog_uri: 'https://catalog.example.com/iceberg',
    ...(warehouse !== undefined && { catalog_warehouse: warehouse }),
  };
  const { entry, problems } = validateEntry(settings, settings);
  expect(problems).toEqual([]);
  const reference = { scheme: 's3', bucket: 'lake', key: `in/${table}/part-1.parquet` } as const;
  const routing = layoutRouter(entry === undefined ? [] : [entry])(reference);
  if (routing.kind !== 'table') throw new Error(`no table: ${routing.kind}`);
  const [chunk] = chunksByTable([{ reference, routing }]);
  return { reference, message: chunk?.message };
}

describe.each([
  ['sh', sentByShell, true],
  ['python', sentByPython, hasPython],
] as const)('the recipe in %s', (language, send, available) => {
  test.runIf(available)('sends what the router sends, in the same group', () => {
    const { reference, message } = sentByRouter('orders');
    const sent = send(example(language));
    expect(sent).toEqual({
      queueUrl: 'https://sqs.eu-central-1.amazonaws.com/123456789012/registrations.fifo',
      ...message,
    });
    const decoded = decodeReceived({
      messageId: '1',
      receiptHandle: '1',
      body: sent.body ?? '',
      attributes: {},
    });
    expect(decoded.references).toEqual([reference]);
  });

  test.runIf(available)('holds for a warehouse and for names outside of ASCII', () => {
    const script = example(language)
      .replace(/,(null|None)|, None/, language === 'sh' ? ',"wäre/house"' : ', "wäre/house"')
      .replaceAll('orders', 'аufträge');
    expect(script).toContain('wäre/house');
    expect(send(script).groupId).toBe(sentByRouter('аufträge', 'wäre/house').message?.groupId);
  });
});
