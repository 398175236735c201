import { afterEach, expect, test } from 'vitest';
import { type Stack, startStack } from '../../local/stack.ts';
import { openLake } from '../integration/schema/lake.ts';
import { offerOne, second } from './story.ts';

let stack: Stack;
afterEach(() => stack.close());

/** A stack whose catalog hands out the access key VENDED; tells who asked for which object. */
async function vendingStack() {
  const requests: string[] = [];
  stack = await startStack({
    onS3Request: ({ method, path, headers }) => {
      const key = /Credential=([^/]+)/.exec(headers['authorization'] ?? '')?.[1];
      const kind = /\.(\w+)$/.exec(path)?.[1];
      requests.push(`${method} ${kind} ${key}`);
      return undefined;
    },
    catalog: {
      tableConfig: {
        's3.access-key-id': 'VENDED',
        's3.secret-access-key': 'vended-secret',
        's3.session-token': 'vended-session',
      },
    },
  });
  stack.createBucket('lake');
  return requests;
}

test.each([
  ['vended-credentials', 'VENDED'],
  ['none', 'local'],
])(
  'access_delegation: %s reads and writes manifests as %s, segments with one’s own key',
  async (access_delegation, key) => {
    const requests = await vendingStack();
    const lake = await openLake(
      {
        uri: stack.catalogUri,
        store: { endpoint: stack.s3Endpoint, region: stack.region, ...stack.credentials, bucket: 'lake' },
      },
      { access_delegation },
    );
    expect(await offerOne(lake)).toMatchObject({ kind: 'committed' });
    const cold = await lake.another({});
    await cold.ship(second, [{ id: 2n, place: null, amount: 1 }]);
    expect(new Set(requests.filter((request) => request.includes(' avro ')))).toStrictEqual(
      new Set([`PUT avro ${key}`, `GET avro ${key}`]),
    );
    expect(new Set(requests.filter((request) => request.startsWith('GET parquet')))).toStrictEqual(
      new Set(['GET parquet local']),
    );
  },
);
