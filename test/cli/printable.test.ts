import { describe, expect, test } from 'vitest';
import { startRegistration } from '../jobs/registration.ts';
import { eventFile } from './event-files.ts';
import { runCli } from './run.ts';

describe('what would steer the terminal', () => {
  const key = 'thadam/v1/cdc/orders/a\u001b[2J\u009b1m\u202eb\u{e0001}.parquet';
  const event = { v: 1, segments: [{ bucket: 'lake', key }] };

  test.each(['explain', 'plan', 'invoke register', 'invoke route'])(
    'of a key, %s prints escaped, in JSON as JSON does',
    async (command) => {
      const words = command.split(' ');
      const text = await runCli([...words, eventFile(event)], {});
      expect(text.stdout).toContain('orders/a\\u{1b}[2J\\u{9b}1m\\u{202e}b\\u{e0001}.parquet');
      const json = await runCli([...words, eventFile(event), '--json'], {});
      expect(json.stdout).toContain('orders/a\\u001b[2J\\u009b1m\\u202eb\\udb40\\udc01.parquet');
      expect(JSON.stringify(JSON.parse(json.stdout))).toContain(JSON.stringify(key).slice(1, -1));
      for (const { stdout, stderr } of [text, json])
        expect(stdout + stderr).not.toMatch(/[[\p{Cc}\p{Cf}]--\n]/v);
    },
  );

  test('of a message’s ID and an object’s ETag is escaped too', async () => {
    const record = {
      eventSource: 'aws:sqs',
      messageId: 'm\u009b1m',
      body: JSON.stringify({ v: 1, segments: [{ bucket: 'lake', key: 'a.parquet', etag: 'e\u009b1m' }] }),
    };
    const { stdout } = await runCli(
      ['explain', eventFile({ Records: [record, { ...record, body: '\u009b' }] })],
      {},
    );
    expect(stdout).toContain('message m\\u{9b}1m\n');
    expect(stdout).toContain('etag e\\u{9b}1m');
    expect(stdout).not.toMatch(/[\p{Cc}--\n]/v);
  });

  test('of an event that cannot be understood, plan prints escaped', async () => {
    const { stdout } = await runCli(['plan', eventFile({ nonsense: '\u009b1m' })], {});
    expect(stdout).toContain('\\u{9b}1m');
    expect(stdout).not.toMatch(/[\p{Cc}--\n]/v);
  });

  test('of a key that is refused is escaped, in the JSON of backfill and quarantine too', async () => {
    const registration = await startRegistration();
    const bad = registration.upload('thadam/v1/plant/orders/\u009b1m.parquet', Buffer.from('no Parquet'));
    const show = ['quarantine', 'show', `s3://lake/${bad.key}`];
    for (const args of [
      ['backfill', 's3://lake/in', '--json'],
      ['quarantine', 'list', '--json'],
      [...show, '--json'],
    ]) {
      const { stdout } = await runCli(args, registration.environment);
      expect(stdout).toContain('\\u009b1m.parquet');
      expect(stdout).not.toMatch(/[\p{Cc}--\n]/v);
    }
    const { stdout } = await runCli(show, registration.environment);
    expect(stdout).toContain('\\u{9b}1m.parquet');
    expect(stdout).not.toMatch(/[\p{Cc}--\n]/v);
    await registration.close();
  });
});
