import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'infra/google');
const terraform = readdirSync(folder)
  .filter((file) => file.endsWith('.tf'))
  .map((file) => readFileSync(path.join(folder, file), 'utf8'))
  .join('\n');

test('the Terraform grants no right to delete or administer objects (I1)', () => {
  const granted = [...terraform.matchAll(/"(roles\/[\w.]+|storage\.[\w.]+)"/g)].map(([, right]) => right);
  expect(new Set(granted)).toEqual(
    new Set([
      'roles/eventarc.eventReceiver',
      'roles/pubsub.publisher',
      'roles/pubsub.subscriber',
      'roles/run.invoker',
      'roles/secretmanager.secretAccessor',
      'roles/storage.objectCreator',
      'storage.objects.get',
      'storage.objects.list',
    ]),
  );
});

test('the Terraform deploys targets that the bundle has', () => {
  const [, pull, event] = /entry_point += var\.delivery == "pull" \? "(\w+)" : "(\w+)"/.exec(terraform) ?? [];
  const source = readFileSync(path.join(root, 'functions/cloud-event.ts'), 'utf8');
  expect(source).toContain(`http('${pull}'`);
  expect(source).toContain(`cloudEvent('${event}'`);
});

test('the Terraform ends a run before its messages are delivered again', () => {
  const seconds = (name: string) => Number(new RegExp(`${name} += (\\d+)`).exec(terraform)?.[1]);
  expect(seconds('timeout_seconds')).toBeGreaterThan(240);
  expect(seconds('ack_deadline_seconds')).toBeGreaterThanOrEqual(seconds('timeout_seconds'));
});
