import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HttpService } from '../../local/http-service.ts';
import { type Stack, startStack } from '../../local/stack.ts';
import { startMetadataServer } from '../fakes/google-metadata.ts';
import { openLake } from '../integration/schema/lake.ts';
import { awsKey } from './aws.ts';
import { type Dialect, type DialectWorld, type Ignorance, startDialect } from './dialect.ts';
import { dialects } from './dialects.ts';
import { lakekeeper } from './lakekeeper.ts';
import { offerOne, tellStory } from './story.ts';

let stack: Stack;
let service: HttpService | undefined;
let metadata: Awaited<ReturnType<typeof startMetadataServer>>;
beforeEach(async () => {
  metadata = await startMetadataServer('google-token');
  for (const [name, value] of Object.entries(metadata.environment)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ACCESS_KEY_ID', awsKey.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', awsKey.secretAccessKey);
  stack = await startStack();
  stack.createBucket('lake');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await metadata.close();
  await service?.close();
  await stack.close();
});

/** A registrar on a catalog of that dialect, which it knows or not; its story, or the refusal that is its end. */
async function meets(dialect: Dialect, ignorance: Ignorance = {}): Promise<DialectWorld> {
  const world: DialectWorld = { stack, seen: new Map() };
  service = await startDialect(dialect, world, ignorance);
  const { url } = service;
  const store = { endpoint: stack.s3Endpoint, region: stack.region, ...stack.credentials, bucket: 'lake' };
  const lake = await openLake(
    { uri: `${url}${dialect.root}`, store },
    { retry: { initial: '1ms', max: '2ms' }, ...dialect.settings, ...ignorance.settings },
  );
  if (dialect.refuses === undefined) await tellStory(lake, world);
  else {
    const outcome = await offerOne(lake);
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { code: dialect.refuses.code, message: expect.stringMatching(dialect.refuses.message) },
    });
  }
  for (const shown of dialect.shows ?? []) expect(world.seen.get(shown), shown).toBeGreaterThan(0);
  return world;
}

describe.each(dialects)('the dialect of $name', (dialect) => {
  test(dialect.refuses === undefined ? 'is registered in' : 'can hold no file of others, and says so', () =>
    meets(dialect).then(() => undefined),
  );

  for (const { title, source, without } of dialect.quirks) {
    if (without === undefined) continue;
    test(`would be missed by a registrar that does not know: ${title} (${source})`, async () => {
      await expect(meets(dialect, without)).rejects.toThrow();
    });
  }
});

test('Lakekeeper’s refusal of write.data.path is told in its words, and names no view or other table', async () => {
  const ignorance = { settings: { table_properties: { 'write.data.path': 's3://lake/elsewhere' } } };
  const refused = {
    code: 'catalog.refused',
    message: /register: .*409 FailedToSetProperties: .*'write\.data\.path'/,
  };
  await meets({ ...lakekeeper, refuses: refused }, ignorance);
});
