import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { deploymentFile } from '../../cli/init/init-files.ts';

/** HashiCorp's parser. Not imported, because its declarations would add the types of a browser to the whole project. */
const { parse } = createRequire(import.meta.url)('@cdktn/hcl2json') as {
  readonly parse: (file: string, text: string) => Promise<Body>;
};

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'infra/google');
const page = readFileSync(path.join(root, 'docs/deploying-google-cloud.md'), 'utf8');

/** Whether an argument is required or optional, or an attribute only computed, by name. A nested block has its own. */
interface Block {
  readonly [name: string]: 'required' | 'optional' | 'computed' | Block;
}

/** The schemas of the resources and data sources that the Terraform uses, as the provider itself reports them. */
const provider = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'google-provider.json'), 'utf8'),
) as Record<'resource' | 'data', Readonly<Record<string, Block>>>;

type Body = Readonly<Record<string, unknown>>;
type Labelled = Readonly<Record<string, Readonly<Record<string, readonly Body[]>>>>;

/** Arguments that Terraform itself accepts in every resource. */
const META_ARGUMENTS = ['count', 'for_each', 'depends_on', 'lifecycle', 'provider'];

/** The parsed files, by name. */
let files: ReadonlyMap<string, Body>;
let variables: ReadonlyMap<string, Body>;
let locals: readonly string[];
/** Resources and data sources by address: `google_pubsub_topic.arrivals`, `data.google_project.this`. */
let bodies: ReadonlyMap<string, { readonly schema: Block | undefined; readonly body: Body }>;
/** The references in all expressions: `var.bucket`, `google_pubsub_topic.arrivals.id`. */
let references: readonly string[];

beforeAll(async () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.tf'));
  const parsed = names.map(async (name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    return [name, await parse(name, text)] as const;
  });
  files = new Map(await Promise.all(parsed));
  const all = [...files.values()];
  variables = new Map(
    all.flatMap(({ variable = {} }) =>
      Object.entries(variable as Readonly<Record<string, readonly Body[]>>).map(
        ([name, [body = {}]]) => [name, body] as const,
      ),
    ),
  );
  locals = all.flatMap(({ locals: blocks = [] }) => (blocks as readonly Body[]).flatMap(Object.keys));
  bodies = new Map(
    (['resource', 'data'] as const).flatMap((kind) =>
      all.flatMap((file) =>
        Object.entries((file[kind] ?? {}) as Labelled).flatMap(([type, named]) =>
          Object.entries(named).map(([name, [body = {}]]) => {
            const address = `${type}.${name}`;
            return [
              kind === 'data' ? `data.${address}` : address,
              { schema: provider[kind][type], body },
            ] as const;
          }),
        ),
      ),
    ),
  );
  references = all.flatMap(textsIn).flatMap(referencesIn);
});

describe('the Terraform', () => {
  test('declares every variable that it uses, and uses and documents every one that it declares', () => {
    const used = new Set(references.flatMap((reference) => /^var\.(\w+)/.exec(reference)?.[1] ?? []));
    expect([...used].sort()).toEqual([...variables.keys()].sort());
    expect([...variables.keys()].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect([...variables].filter(([, { description }]) => description === undefined)).toEqual([]);
  });

  test('refers to nothing that is not declared', () => {
    expect(references.length).toBeGreaterThan(60);
    expect(references.filter((reference) => !resolves(reference))).toEqual([]);
  });

  test('gives every resource the arguments that its provider takes and requires', () => {
    const ofGoogle = [...bodies].filter(([address]) => /^(data\.)?google_/.test(address));
    expect(ofGoogle.length).toBeGreaterThan(20);
    expect(ofGoogle.flatMap(([address, { schema, body }]) => mismatches(address, schema, body))).toEqual([]);
  });

  test('takes the variables that init writes, and needs no others but the configuration', async () => {
    const written = deploymentFile(
      {
        ...{ cloud: 'google', url: 'gs://lake/landing', stage: 'prod', region: 'europe-west1' },
        ...{ project: 'my-project', tokenSecret: 'catalog', createTable: true },
        ...{ catalogUri: 'https://catalog.example.com', namespace: 'analytics' },
      } as Parameters<typeof deploymentFile>[0],
      'registrar.yaml',
    );
    const set = Object.keys(await parse('deployment.tfvars', written));
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
    const needed = [...variables].filter(([, body]) => !('default' in body)).map(([name]) => name);
    expect(needed.filter((name) => !set.includes(name))).toEqual(['config']);
  });
});

describe('the checks', () => {
  const schema: Block = { name: 'required', id: 'computed', condition: { title: 'required' } };

  test.each([
    ['an argument that is missing', {}, 'x.name is missing'],
    ['an argument that is misspelled', { name: 'a', nmae: 'b' }, 'x.nmae is no argument'],
    ['an argument that only the provider sets', { name: 'a', id: 'b' }, 'x.id is no argument'],
    ['the same in a nested block', { name: 'a', condition: [{}] }, 'x.condition.title is missing'],
    [
      'the same in a dynamic block',
      { name: 'a', dynamic: { condition: [{ content: [{}] }] } },
      'x.condition.title is missing',
    ],
  ])('find %s', (_, body, problem) => {
    expect(mismatches('x', schema, body)).toEqual([problem]);
  });

  test.each([
    'var.nothing',
    'local.nothing',
    'google_pubsub_topic.nothing.id',
    'data.google_project.this.nothing',
  ])('find %s', (reference) => {
    expect(resolves(reference)).toBe(false);
  });
});

/** Every text of a parsed file. An expression is a text that contains `${…}`. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function referencesIn(text: string): readonly string[] {
  if (!text.includes('${')) return [];
  return text.match(/(?<![\w."])(?:(?:var|local)\.\w+|(?:data\.)?(?:google|archive)_\w+(?:\.\w+)+)/g) ?? [];
}

function resolves(reference: string): boolean {
  const parts = reference.split('.');
  if (parts[0] === 'var') return variables.has(parts[1] ?? '');
  if (parts[0] === 'local') return locals.includes(parts[1] ?? '');
  const depth = parts[0] === 'data' ? 3 : 2;
  const referred = bodies.get(parts.slice(0, depth).join('.'));
  if (referred === undefined) return false;
  const attribute = parts[depth];
  return attribute === undefined || referred.schema === undefined || attribute in referred.schema;
}

/** The arguments of a block that its schema does not have, and those that it requires and the block lacks. */
function mismatches(place: string, schema: Block | undefined, written: Body): readonly string[] {
  if (schema === undefined) return [`${place} is unknown`];
  const { dynamic = {}, ...plain } = written;
  const generated = Object.entries(dynamic as Readonly<Record<string, readonly Body[]>>);
  const body: Body = {
    ...plain,
    ...Object.fromEntries(generated.map(([name, [block]]) => [name, block?.['content']])),
  };
  const missing = Object.keys(schema).filter((name) => schema[name] === 'required' && !(name in body));
  return [
    ...missing.map((name) => `${place}.${name} is missing`),
    ...Object.entries(body).flatMap(([name, value]) => {
      if (META_ARGUMENTS.includes(name)) return [];
      const expected = schema[name];
      if (expected === undefined || expected === 'computed') return [`${place}.${name} is no argument`];
      if (typeof expected === 'string') return [];
      return (value as readonly Body[]).flatMap((block) => mismatches(`${place}.${name}`, expected, block));
    }),
  ];
}
