import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DoctorOptions, examine } from '../../../lib/jobs/doctor/doctor.ts';
import { tryRegistration } from '../../../lib/jobs/doctor/trial.ts';
import { doctorPorts, wire } from '../../../lib/wire.ts';
import { shows } from '../services/capability.ts';
import { askedFor } from '../services/chosen.ts';
import { createBucket } from '../services/create-bucket.ts';
import { describeWith } from '../services/describe-with.ts';
import type { CatalogService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';
import { type Fronts, startFronts } from './fronts.ts';

/** What doctor says of a set-up that is right but for `changed`: check → state. */
async function examined(
  service: CatalogService,
  changed: Readonly<Record<string, unknown>> = {},
  options: DoctorOptions = {},
) {
  const url = `s3://${service.store.bucket}/doctor-${randomUUID()}`;
  const wiring = await wire({
    REGISTRAR_CONFIG: JSON.stringify({
      url,
      catalog_uri: service.uri,
      ...(service.warehouse !== undefined && { catalog_warehouse: service.warehouse }),
      ...(service.wayIn ?? (service.token !== undefined && { catalog_token: service.token })),
      namespace: 'doctor',
      create_table: true,
      retry: { initial: '1ms', max: '10ms' },
      store: storeSettings(service.store),
      ...changed,
    }),
  });
  const [entry] = wiring.entries;
  if (entry === undefined) throw new Error('Expected an entry');
  await wiring.portsOf(entry).store.write(`${url}/thadam/v1/plant/orders/a.parquet`, Buffer.from('12345678'));
  const findings = await examine(doctorPorts(wiring), { table: 'orders', ...options });
  return Object.fromEntries(findings.map(({ check, state, found }) => [check, `${state}: ${found}`]));
}

const right = {
  catalog: expect.stringMatching(/^ok/),
  authentication: expect.stringMatching(/^ok/),
  creation: expect.stringMatching(/^ok/),
  table: expect.stringMatching(/^ok: .*is made from its first segment/),
  segments: expect.stringMatching(/^ok/),
  quarantine: expect.stringMatching(/^ok/),
  clock: expect.stringMatching(/^ok/),
};

describeWith(
  'doctor on Apache’s fixture',
  ['seaweedfsCatalog'],
  ({ seaweedfsCatalog: service }) => {
    test('finds a right set-up right, and tells what the server says of its version', async () => {
      const catalog = expect.stringMatching(/^ok: .*its server is "Jetty\(.*\d+ endpoints are listed/);
      expect(await examined(service)).toMatchObject({ ...right, catalog });
    });

    test('registers a file in place in a table of its own', async () => {
      expect(await examined(service, {}, { trial: tryRegistration })).toMatchObject({
        ...right,
        trial: expect.stringMatching(/^ok/),
      });
    });

    test('finds a catalog that is none', async () => {
      expect(await examined(service, { catalog_uri: service.store.endpoint })).toMatchObject({
        ...right,
        catalog: expect.stringMatching(/^failed/),
        authentication: expect.stringMatching(/^not checked/),
        creation: expect.stringMatching(/^not checked/),
        table: expect.stringMatching(/^not checked/),
      });
    });
  },
  shows('fixture', 'doctor'),
);

describeWith(
  'doctor on Apache’s fixture behind Caddy',
  ['seaweedfsCatalog'],
  ({ seaweedfsCatalog: service }) => {
    let fronts: Fronts;
    beforeAll(async () => {
      fronts = await startFronts(service.uri);
    });
    afterAll(() => fronts?.close());

    test('tells who signed the certificate, and that it soon ends', async () => {
      const settings = { catalog_uri: fronts.tls, catalog_ca_file: fronts.ca.certFile };
      expect(await examined(service, settings)).toMatchObject({
        ...right,
        tls: expect.stringMatching(/^warning: TLSv1\.3: .*, trusted by catalog_ca_file, valid until 2\d{3}-/),
      });
    });

    test.each([
      ['another CA', () => ({ catalog_ca_file: fronts.otherCa.certFile })],
      ['no CA', () => ({})],
    ])('finds that a certificate is not trusted, by %s', async (_, settings) => {
      const found = await examined(service, { catalog_uri: fronts.tls, ...settings() });
      const untrusted = expect.stringMatching(/^failed: config\.invalid: .*not trusted/);
      expect(found).toMatchObject({ tls: untrusted, catalog: untrusted });
    });

    test('finds that a client certificate is refused, although the server’s own is in order', async () => {
      const settings = { catalog_uri: fronts.clientCertificate, catalog_ca_file: fronts.ca.certFile };
      expect(await examined(service, settings)).toMatchObject({
        tls: expect.stringMatching(/^warning: TLSv1\.3/),
        catalog: expect.stringMatching(/^failed: auth\.failed: .*client certificate was refused/),
      });
    });
  },
  shows('fixture', 'doctor'),
);

describeWith('doctor on LocalStack', ['localstack', 'localstackCatalog'], (services) => {
  test('finds that a bucket is in another region', async () => {
    const elsewhere = { ...services.localstack, bucket: `far-${randomUUID()}`, region: 'eu-west-1' };
    await createBucket(elsewhere);
    const store = { ...elsewhere, region: 'us-east-1' };
    const found = await examined({ ...services.localstackCatalog, store });
    expect(found).toMatchObject({
      region: `warning: bucket "${store.bucket}" is in "eu-west-1", and is asked for in "us-east-1"`,
      segments: expect.stringMatching(/^ok/),
    });
    expect(await examined(services.localstackCatalog)).toMatchObject({
      region: expect.stringMatching(/^ok/),
    });
  });
});

describeWith(
  'doctor on SeaweedFS’s catalog',
  ['seaweedfsOwnCatalog'],
  ({ seaweedfsOwnCatalog: service }) => {
    test('finds a right set-up right, and tells what the server says of its version', async () => {
      const catalog = expect.stringMatching(/^ok: .*does not tell its version, warehouse "tables"/);
      expect(await examined(service)).toMatchObject({ ...right, catalog });
    });

    test('registers a file in place in a table of its own', async () => {
      expect(await examined(service, {}, { trial: tryRegistration })).toMatchObject({
        ...right,
        trial: expect.stringMatching(/^ok/),
      });
    });

    test('finds that a token is refused, although the configuration is open to everybody', async () => {
      const found = await examined(service, { catalog_token: 'not-a-token' });
      expect(found).toMatchObject({ authentication: expect.stringMatching(/^failed: auth\.failed/) });
      expect(JSON.stringify(found)).not.toContain('not-a-token');
    });
  },
  shows('seaweedfs', 'doctor'),
);

for (const name of askedFor()) {
  if (name === 'fixture' || name === 'seaweedfs') continue;
  describeWith(
    `doctor on ${name}`,
    [name],
    ({ [name]: service }) => {
      test('finds a right set-up right', async () => {
        expect(await examined(service)).toMatchObject(right);
      });

      test('registers a file in place in a table of its own', async () => {
        expect(await examined(service, {}, { trial: tryRegistration })).toMatchObject({
          ...right,
          trial: expect.stringMatching(/^ok/),
        });
      });

      test('finds a warehouse that is not there', async () => {
        expect(await examined(service, { catalog_warehouse: 'elsewhere' })).toMatchObject({
          // Nessie answers 500.
          catalog: expect.stringMatching(/^failed: catalog\.(refused|unavailable).* "elsewhere"/),
        });
      });
    },
    shows(name, 'doctor'),
  );
}
