import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type DoctorOptions, examine } from '../../../lib/jobs/doctor/doctor.ts';
import { tryRegistration } from '../../../lib/jobs/doctor/trial.ts';
import { doctorPorts, wire } from '../../../lib/wire.ts';
import { describeWith } from '../services/describe-with.ts';
import type { CatalogService } from '../services/service.ts';
import { storeSettings } from '../services/settings.ts';

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
      ...(service.token !== undefined && { catalog_token: service.token }),
      namespace: 'doctor',
      create_table: true,
      retry: { initial: '1ms', max: '10ms' },
      store: storeSettings(service.store),
      ...changed,
    }),
  });
  const [entry] = wiring.entries;
  if (entry === undefined) throw new Error('Expected an entry');
  await wiring.portsOf(entry).store.write(`${url}/a.parquet`, Buffer.from('12345678'));
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

describeWith('doctor on Apache’s fixture', ['seaweedfsCatalog'], ({ seaweedfsCatalog: service }) => {
  test('finds a right set-up right', async () => {
    expect(await examined(service)).toMatchObject(right);
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
});

describeWith('doctor on SeaweedFS’s catalog', ['seaweedfsOwnCatalog'], ({ seaweedfsOwnCatalog: service }) => {
  test('finds a right set-up right', async () => {
    expect(await examined(service)).toMatchObject(right);
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
});
