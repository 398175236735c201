import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseYaml, type RawSettings } from '../../lib/config/document.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { makeAuthorities } from '../fakes/certificates.ts';
import { dialects } from './dialects.ts';

/** docs/catalogs.md: every configuration in it is valid, and those of the dialects are the ones that were run. */
const page = readFileSync(new URL('../../docs/catalogs.md', import.meta.url), 'utf8');

const sections = new Map(
  page.split(/^## /m).map((section) => {
    const [title = ''] = section.split('\n');
    return [title, [...section.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml)] as const;
  }),
);
const blocks = [...sections].flatMap(([title, yamls]) => yamls.map((yaml, at) => ({ title, at, yaml })));

describe('docs/catalogs.md', () => {
  test.each(blocks)('has a configuration for $title (block $at) that is valid', async ({ yaml }) => {
    const authorities = makeAuthorities();
    const { cert, key } = authorities.authority().sign({ client: true });
    authorities.remove();
    const { entries } = await loadConfig(
      {
        REGISTRAR_CONFIG: `url: s3://lake\nnamespace: analytics\n${yaml}`,
        SEAWEED_ACCESS_KEY: 'a',
        SEAWEED_SECRET_KEY: 'b',
      },
      {
        readFile: async () => '',
        readCertificate: async () => cert,
        readObject: async () => '',
        resolveSecret: async (_store, name) => (name === 'lake/client-key' ? key : 'some-secret'),
      },
    );
    expect(entries).toHaveLength(1);
  });

  test.each(dialects)(
    'shows for $name the settings that its dialect was run with',
    async ({ name, root, settings }) => {
      const [yaml = ''] = sections.get(name) ?? [];
      const { catalog_uri, ...shown } = (await parseYaml(yaml)) as RawSettings;
      expect(new URL(String(catalog_uri)).pathname).toBe(root);
      expect(withoutSecrets(shown)).toEqual(withoutSecrets(settings));
    },
  );
});

test.each(['catalogs.md', 'security.md'])('every test and page that docs/%s links is there', (name) => {
  const docs = new URL('../../docs/', import.meta.url);
  const links = [...readFileSync(new URL(name, docs), 'utf8').matchAll(/\]\(([^)#]+)/g)].map(
    ([, link = '']) => link,
  );
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !existsSync(new URL(link, docs)))).toStrictEqual([]);
});

/** What a reference stands for is not compared, nor how scalars are written. */
function withoutSecrets(value: unknown, key = ''): unknown {
  if (typeof value !== 'object' || value === null) {
    return /token|secret/.test(key) ? 'a secret' : String(value);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner, name)]),
  );
}
