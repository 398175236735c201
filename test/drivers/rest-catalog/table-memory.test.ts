import { expect, test } from 'vitest';
import { tableMemory } from '../../../lib/drivers/rest-catalog/table-memory.ts';
import type { LoadedTable } from '../../../lib/ports.ts';

const table: LoadedTable = { metadataLocation: undefined, metadata: {}, config: {} };

function granted(path: string) {
  return { authorization: undefined, credentials: [{ prefix: `s3://${path}/`, config: {} }] };
}

test('a long-lived process keeps the grants of the last thousand tables that it worked on', () => {
  const memory = tableMemory();
  for (let at = 0; at < 1_000; at += 1) memory.remember(`t${at}`, table, undefined, granted(`t${at}`));
  expect(memory.grant('t0')).toBeDefined();
  memory.remember('one more', table, undefined, granted('one-more'));
  expect(memory.grant('t0')).toBeDefined();
  expect(memory.grant('t1')).toBeUndefined();
  expect(memory.credentialFor('s3://t1/a')).toBeUndefined();
  expect(memory.credentialFor('s3://one-more/a')).toMatchObject({ path: 'one more' });
});
