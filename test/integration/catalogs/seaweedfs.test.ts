import { afterEach, expect, test, vi } from 'vitest';
import type { Schema } from '../../../lib/spec/schema.ts';
import { openLake } from '../schema/lake.ts';
import { capability } from '../services/capability.ts';
import { describeWith } from '../services/describe-with.ts';
import { writesWithVendedCredentials } from './vended.ts';

const first: Schema = {
  type: 'struct',
  fields: [{ id: 10, name: 'id', required: false, type: 'long' }],
};
const second: Schema = {
  ...first,
  fields: [...first.fields, { id: 30, name: 'amount', required: false, type: 'double' }],
};

describeWith('SeaweedFS’s own catalog', ['seaweedfsOwnCatalog'], ({ seaweedfsOwnCatalog: service }) => {
  const { accessKeyId, secretAccessKey } = service.store;
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  async function evolves(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const lake = await openLake(service, { catalog_token: undefined, ...settings });
    await lake.ship(first, [{ id: 1n }]);
    await lake.ship(second, [{ id: 2n, amount: 1.5 }]);
    await lake.expectRows(second);
  }

  async function refuses(settings: Readonly<Record<string, unknown>>, saying: RegExp): Promise<void> {
    const lake = await openLake(service, { catalog_token: undefined, ...settings });
    const outcome = await lake.offer(first, [{ id: 1n }]);
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: 'auth.failed', message: expect.stringMatching(saying) },
    });
    expect(outcome.kind === 'failed' && outcome.error.message).not.toContain('wrong-secret');
  }

  for (const client_auth of ['form', 'basic']) {
    capability('seaweedfs', 'OAuth2', `takes OAuth2 client credentials, sent by ${client_auth}`, () =>
      evolves({
        catalog_credential: { client_id: accessKeyId, client_secret: secretAccessKey, client_auth },
      }),
    );
  }

  test('refuses a wrong client secret: auth.failed', () =>
    refuses(
      { catalog_credential: { client_id: accessKeyId, client_secret: 'wrong-secret' } },
      /invalid_client/,
    ));

  for (const signing of ['s3tables', 'glue', 'execute-api']) {
    capability('seaweedfs', 'SigV4', `verifies signatures for ${signing}`, async () => {
      vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
      await evolves({ catalog_sigv4: { region: 'us-east-1', service: signing } });
    });
  }

  test('verifies the signature of a path with %1F in it (F14)', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
    const { catalog } = await openLake(service, {
      catalog_token: undefined,
      catalog_sigv4: { region: 'us-east-1', service: 's3tables' },
    });
    expect(await catalog.load({ namespace: ['one', 'two'], name: 'none' })).toBeUndefined();
  });

  test('refuses a signature by a wrong secret: auth.failed', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wrong-secret');
    await refuses({ catalog_sigv4: { region: 'us-east-1', service: 's3tables' } }, /403/);
  });

  // The table lies where the catalog puts it: what it hands out is for that folder of its table bucket, wherever a table lies.
  writesWithVendedCredentials('seaweedfs', async () => ({
    lake: await openLake(service, { create_via: 'create', table_location: 'catalog' }),
    store: service.store,
  }));
});
