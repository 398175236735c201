import { isObject } from '../../spec/json-object.ts';

/** The parts of a writer's Avro schema that determine how its bytes are read: names are resolved, logical types are dropped. */
export type AvroShape =
  | { readonly kind: 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string' | 'enum' }
  | { readonly kind: 'fixed'; readonly size: number }
  | { readonly kind: 'union'; readonly branches: readonly AvroShape[] }
  | { readonly kind: 'array'; readonly items: AvroShape }
  | { readonly kind: 'map'; readonly values: AvroShape }
  | { readonly kind: 'record'; readonly fields: readonly AvroShapeField[] };

export interface AvroShapeField {
  readonly name: string;
  /** Iceberg's `field-id`. */
  readonly id: number | undefined;
  readonly shape: AvroShape;
}

/** Reads the JSON of `avro.schema`. @throws TypeError naming what is not an Avro type, including a type that contains itself */
export function avroShape(schema: unknown): AvroShape {
  return parse(schema, new Map());
}

const PRIMITIVES = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const;

function parse(schema: unknown, named: Map<string, AvroShape>): AvroShape {
  if (typeof schema === 'string') return parseName(schema, named);
  if (Array.isArray(schema)) {
    return { kind: 'union', branches: schema.map((branch) => parse(branch, named)) };
  }
  if (!isObject(schema)) throw malformed(schema);
  const shape = parseComplex(schema, named);
  if (typeof schema['name'] === 'string') named.set(simpleName(schema['name']), shape);
  return shape;
}

function parseName(name: string, named: Map<string, AvroShape>): AvroShape {
  const kind = PRIMITIVES.find((primitive) => primitive === name);
  const shape = kind === undefined ? named.get(simpleName(name)) : { kind };
  if (shape === undefined) throw malformed(name);
  return shape;
}

function parseComplex(schema: Readonly<Record<string, unknown>>, named: Map<string, AvroShape>): AvroShape {
  const { type, fields, items, values, size } = schema;
  switch (type) {
    case 'record':
      if (!Array.isArray(fields)) throw malformed(schema);
      return { kind: 'record', fields: fields.map((field) => parseField(field, named)) };
    case 'array':
      return { kind: 'array', items: parse(items, named) };
    case 'map':
      return { kind: 'map', values: parse(values, named) };
    case 'fixed':
      if (typeof size !== 'number') throw malformed(schema);
      return { kind: 'fixed', size };
    case 'enum':
      return { kind: 'enum' };
    default:
      return parse(type, named);
  }
}

function parseField(field: unknown, named: Map<string, AvroShape>): AvroShapeField {
  if (!isObject(field) || typeof field['name'] !== 'string') throw malformed(field);
  const id = field['field-id'];
  return {
    name: field['name'],
    id: typeof id === 'number' ? id : undefined,
    shape: parse(field['type'], named),
  };
}

/** The namespace is dropped: no manifest has two types of the same name in different namespaces. */
function simpleName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function malformed(schema: unknown): TypeError {
  return new TypeError(`${JSON.stringify(schema)} is not an Avro type`);
}
