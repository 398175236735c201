import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Columns, columnsOf, fullName } from '../../../lib/schema/columns.ts';
import type { NestedField, Schema, Type } from '../../../lib/spec/schema.ts';
import { createdTable, segment, struct } from '../../schema/evolving-table.ts';
import { lineage, steps } from '../../schema/lineage.ts';
import { install, installedFolder } from '../services/services.ts';

const RUNS = 2_000;

/** One call of Java's UpdateSchema; types stand in a schema of one column. */
type Change =
  | { readonly do: 'add'; readonly parent: string; readonly column: string; readonly schema: Schema }
  | { readonly do: 'rename'; readonly column: string; readonly to: string }
  | { readonly do: 'promote'; readonly column: string; readonly schema: Schema }
  | { readonly do: 'relax'; readonly column: string };

/** What a dataset's step means for its table, said by comparing the dataset's schemas and nothing else. */
function changes(table: Columns, before: Schema, after: Schema): readonly Change[] {
  const [old, now] = [columnsOf(before), columnsOf(after)];
  const result: Change[] = [];
  for (const column of now.values()) {
    const held = table.get(column.id);
    const known = old.get(column.id);
    const parent = column.parentId === undefined ? undefined : table.get(column.parentId);
    if (held === undefined && (column.parentId === undefined || parent !== undefined)) {
      const added = optional(columnType(after, column.id));
      const name = parent === undefined ? '' : fullName(table, parent);
      result.push({ do: 'add', parent: name, column: column.name, schema: oneColumn(added) });
    }
    if (held === undefined || known === undefined) continue;
    const name = fullName(table, held);
    if (column.type !== known.type)
      result.push({ do: 'promote', column: name, schema: oneColumn(column.type) });
    if (held.required && !column.required) result.push({ do: 'relax', column: name });
    if (column.name !== known.name) result.push({ do: 'rename', column: name, to: column.name });
  }
  for (const held of table.values()) {
    const around = held.parentId === undefined || now.has(held.parentId);
    if (held.required && held.role !== 'key' && !now.has(held.id) && around) {
      result.push({ do: 'relax', column: fullName(table, held) });
    }
  }
  return result;
}

function oneColumn(type: Type): Schema {
  return struct({ id: 1_000_000, name: 'c', required: false, type });
}

function columnType(schema: Schema, id: number): Type {
  const column = columnsOf(schema).get(id);
  return column?.nested ?? column?.type ?? 'int';
}

function optional(type: Type): Type {
  if (typeof type === 'string') return type;
  switch (type.type) {
    case 'struct':
      return {
        ...type,
        fields: type.fields.map((field) => ({ ...field, required: false, type: optional(field.type) })),
      };
    case 'list':
      return { ...type, element: optional(type.element) };
    case 'map':
      return { ...type, value: optional(type.value) };
  }
}

/** The schema without its IDs. */
function shape(type: Type): unknown {
  if (typeof type === 'string') return type.replaceAll(' ', '');
  switch (type.type) {
    case 'struct':
      return type.fields.map(({ name, required, type: inner }: NestedField) => [
        name,
        required,
        shape(inner),
      ]);
    case 'list':
      return { element: shape(type.element), required: type['element-required'] };
    case 'map':
      return { key: shape(type.key), value: shape(type.value), required: type['value-required'] };
  }
}

/** Our IDs and Java's in schemas of one shape, side by side. */
function idPairs(ours: Schema, java: Schema): readonly (readonly [number, number])[] {
  const javaIds = [...columnsOf(java).keys()];
  return [...columnsOf(ours).keys()].map((id, index) => [id, javaIds[index] ?? 0]);
}

/** Every version of the table has Java's shape, and one column keeps one ID on both sides, from version to version. */
function expectSameEvolution(ours: readonly Schema[], java: readonly Schema[]): void {
  expect(ours.map(shape)).toEqual(java.map(shape));
  const pairs = new Set(
    ours.flatMap((schema, version) => {
      return idPairs(schema, java[version] ?? struct()).map((pair) => pair.join('='));
    }),
  );
  const sides = [...pairs].map((pair) => pair.split('='));
  expect(new Set(sides.map(([our]) => our)).size).toBe(pairs.size);
  expect(new Set(sides.map(([, their]) => their)).size).toBe(pairs.size);
}

async function askJava(
  requests: readonly object[],
): Promise<readonly { schemas: Schema[]; unreadable: string[] }[]> {
  const java = spawn('java', [
    '-cp',
    join(installedFolder, 'fixture/iceberg-open-api-1.10.1.jar'),
    join(import.meta.dirname, 'UpdateSchemaOracle.java'),
  ]);
  java.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  const [output, errors] = await Promise.all([text(java.stdout), text(java.stderr)]);
  const answers = output.split('\n').filter((line) => line.startsWith('{'));
  if (answers.length !== requests.length) throw new Error(errors.slice(-4000));
  return answers.map((line) => JSON.parse(line));
}

test(`${RUNS} random datasets: at each step the table is what Java’s UpdateSchema makes, modulo the IDs, and Java reads every earlier segment under it`, async ({
  skip,
}) => {
  await install('fixture').catch((error: Error) => {
    if (process.env['CI'] === 'true') throw error;
    skip(`NOT RUN, no Iceberg for Java: ${error.message}`);
  });
  const runs = fc.sample(steps, { numRuns: RUNS, seed: 20260101 }).map((random) => {
    const schemas = lineage(random);
    const uploads = schemas.map(({ fields }) => segment(fields));
    const [first = segment([]), ...later] = uploads;
    const table = createdTable(first);
    table.register([first]);
    const tables = [table.state().currentSchema];
    const intents = later.map((upload, index) => {
      const intent = changes(columnsOf(table.state().currentSchema), schemas[index] as Schema, upload.schema);
      expect(table.register([upload]).refused).toEqual(new Map());
      tables.push(table.state().currentSchema);
      return intent;
    });
    return { schema: first.schema, steps: intents, tables, segments: schemas };
  });
  expect(runs.flatMap((run) => run.steps.flat()).length).toBeGreaterThan(RUNS);

  const answers = await askJava(runs);
  for (const [index, { schemas, unreadable }] of answers.entries()) {
    expectSameEvolution(runs[index]?.tables ?? [], schemas);
    expect(unreadable).toEqual([]);
  }
}, 300_000);
