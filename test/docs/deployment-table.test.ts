import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readDeployment } from '../../infra/deployment.ts';
import { root } from './fences.ts';

const page = readFileSync(path.join(root, 'docs/deploying-aws.md'), 'utf8');
const [, section = ''] = /^## deployment\.yaml\n(.*?)^## /ms.exec(page) ?? [];

/** Keys and defaults of the table; a row may have several, `route.window`, `.timeout` | 10, 60. */
const documented = new Map(
  [...section.matchAll(/^\| (`.*?) \| (.*?) ?\|/gm)].flatMap(([, keys = '', defaults = '']) => {
    const names = [...keys.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
    const [parent = ''] = names[0]?.split('.') ?? [];
    const values = defaults.replaceAll('`', '').split(', ');
    return names.map(
      (name, at) => [name.startsWith('.') ? `${parent}${name}` : name, values[at] ?? ''] as const,
    );
  }),
);

function flat(value: unknown, prefix = ''): readonly (readonly [name: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[prefix, value]];
  return Object.entries(value).flatMap(([key, inner]) =>
    flat(inner, prefix === '' ? key : `${prefix}.${key}`),
  );
}

test('docs/deploying-aws.md has every parameter that has a default, with it', () => {
  const { stage: _, config: __, ...defaults } = readDeployment({ stage: 'a', config: 'b' });
  const expected = flat(defaults).map(([name, value]) => [name, Array.isArray(value) ? '' : String(value)]);
  expect(expected.length).toBeGreaterThan(10);
  expect(expected.map(([name = '']) => [name, documented.get(name)])).toEqual(expected);
});

function isKnown(name: string): boolean {
  const [first = '', second] = name.split('.');
  try {
    readDeployment({ [first]: second === undefined ? undefined : { [second]: undefined } });
  } catch (error) {
    return !(error as Error).message.includes(`- ${name}: there is no such parameter`);
  }
  return true;
}

test('docs/deploying-aws.md has no parameter that there is not', () => {
  expect(isKnown('route.windows')).toBe(false);
  const optional = [...documented.keys()].filter((name) => documented.get(name) !== 'required');
  expect(optional.filter((name) => !isKnown(name))).toEqual([]);
});
