import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Schema } from '../../../lib/spec/schema.ts';
import { openLake } from '../schema/lake.ts';
import { capability } from '../services/capability.ts';
import { describeWith } from '../services/describe-with.ts';
import { type Fronts, startFronts } from './fronts.ts';

const first: Schema = {
  type: 'struct',
  fields: [
    { id: 10, name: 'id', required: false, type: 'long' },
    { id: 20, name: 'name', required: false, type: 'string' },
  ],
};
const second: Schema = {
  ...first,
  fields: [...first.fields, { id: 30, name: 'amount', required: false, type: 'double' }],
};

describeWith('Apache’s fixture behind Caddy', ['seaweedfsCatalog'], ({ seaweedfsCatalog }) => {
  let fronts: Fronts;
  beforeAll(async () => {
    fronts = await startFronts(seaweedfsCatalog.uri);
  });
  afterAll(() => fronts?.close());

  const open = (settings: Readonly<Record<string, unknown>>) => openLake(seaweedfsCatalog, settings);

  /** A table is made, evolved and read back through that front. */
  async function evolves(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const lake = await open(settings);
    await lake.ship(first, [{ id: 1n, name: 'ü' }]);
    await lake.ship(second, [{ id: 2n, name: null, amount: 1.5 }]);
    await lake.expectRows(second);
  }

  /** Nothing is registered, and the failure says why. */
  async function refuses(
    settings: Readonly<Record<string, unknown>>,
    code: string,
    saying: RegExp,
  ): Promise<void> {
    const lake = await open(settings);
    expect(await lake.offer(first, [{ id: 1n, name: 'x' }])).toMatchObject({
      kind: 'failed',
      error: { code, message: expect.stringMatching(saying) },
    });
  }

  const trusting = () => ({ catalog_ca_file: fronts.ca.certFile });

  describe('with a private CA', () => {
    capability('fixture', 'private CA', 'that is the right one: a table is made and evolves', () =>
      evolves({ catalog_uri: fronts.tls, ...trusting() }),
    );
    capability('fixture', 'private CA', 'that is another one: config.invalid', () =>
      refuses(
        { catalog_uri: fronts.tls, catalog_ca_file: fronts.otherCa.certFile },
        'config.invalid',
        /not trusted.*catalog_ca_file/,
      ),
    );
    capability('fixture', 'private CA', 'and none that is configured: config.invalid', () =>
      refuses({ catalog_uri: fronts.tls }, 'config.invalid', /not trusted.*catalog_ca_file/),
    );
  });

  describe('with a bearer token', () => {
    capability('fixture', 'bearer', 'that is right: a table is made and evolves', () =>
      evolves({ catalog_uri: fronts.bearer, ...trusting(), catalog_token: 'demo-token' }),
    );
    capability('fixture', 'bearer', 'that is wrong: auth.failed', () =>
      refuses(
        { catalog_uri: fronts.bearer, ...trusting(), catalog_token: 'stale-token' },
        'auth.failed',
        /401/,
      ),
    );
  });

  describe('with OAuth2', () => {
    const credential = (client_id: string) => ({
      catalog_uri: fronts.oauth2,
      ...trusting(),
      catalog_credential: { client_id, client_secret: 'registrar-secret' },
    });
    capability('fixture', 'OAuth2', 'by the right client: a table is made and evolves', () =>
      evolves(credential('registrar')),
    );
    capability(
      'fixture',
      'OAuth2',
      'by another client, whose tokens are refused: auth.failed after one more exchange',
      () => refuses(credential('stranger'), 'auth.failed', /401/),
    );
  });

  describe('with a client certificate', () => {
    const certified = (files: { readonly certFile: string; readonly keyFile: string }) => ({
      catalog_uri: fronts.clientCertificate,
      ...trusting(),
      catalog_client_cert: files.certFile,
      catalog_client_key: files.keyFile,
    });
    capability('fixture', 'client certificate', 'that is right: a table is made and evolves', () =>
      evolves(certified(fronts.client)),
    );
    capability('fixture', 'client certificate', 'of another CA: auth.failed, under TLS 1.3 too', () =>
      refuses(certified(fronts.stranger), 'auth.failed', /UNKNOWN_CA.*catalog_client_cert/),
    );
    capability(
      'fixture',
      'client certificate',
      'and none that is configured: auth.failed, under TLS 1.3 too',
      () =>
        refuses(
          { catalog_uri: fronts.clientCertificate, ...trusting() },
          'auth.failed',
          /CERTIFICATE_REQUIRED.*catalog_client_cert/,
        ),
    );
  });
});
