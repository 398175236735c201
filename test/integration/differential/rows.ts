import fc from 'fast-check';
import { parsePrimitive } from '../../../lib/spec/primitive-type.ts';
import type { PrimitiveType, StructType, Type } from '../../../lib/spec/schema.ts';
import type { Row, Value } from '../../../local/shipper/dataset.ts';

/** Any rows of a schema, nulls, empty lists and the ends of the ranges among them. */
export function rowsOf(schema: StructType): fc.Arbitrary<readonly Row[]> {
  return fc.array(structOf(schema), { minLength: 1, maxLength: 4 });
}

function structOf({ fields }: StructType): fc.Arbitrary<Row> {
  return fc.record(
    Object.fromEntries(
      fields.map(({ name, required, type }) => [
        name,
        required || holdsStructs(type) ? anyOf(type) : optional(type),
      ]),
    ),
  );
}

/** PyIceberg shows null lists and maps of structs as empty ones: its own affair. */
function holdsStructs(type: Type): boolean {
  if (typeof type === 'string' || type.type === 'struct') return false;
  const inner = type.type === 'list' ? type.element : type.value;
  return typeof inner !== 'string' && inner.type === 'struct';
}

function optional(type: Type): fc.Arbitrary<Value> {
  return fc.option(anyOf(type), { freq: 4 });
}

function anyOf(type: Type): fc.Arbitrary<Value> {
  if (typeof type === 'string') return primitiveOf(type);
  switch (type.type) {
    case 'struct':
      return structOf(type);
    case 'list':
      return fc.array(holdsStructs(type.element) ? anyOf(type.element) : optional(type.element), {
        maxLength: 3,
      });
    case 'map':
      return fc
        .uniqueArray(fc.tuple(fc.string(), optional(type.value)), { maxLength: 3, selector: ([key]) => key })
        .map((entries) => new Map(entries));
  }
}

function primitiveOf(type: PrimitiveType): fc.Arbitrary<Value> {
  const primitive = parsePrimitive(type);
  if ('precision' in primitive) {
    const limit = 10n ** BigInt(primitive.precision);
    return fc.bigInt({ min: 1n - limit, max: limit - 1n });
  }
  switch (type) {
    case 'int':
      return fc.integer();
    case 'long':
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case 'float':
      return fc.float();
    case 'double':
      return fc.double();
    case 'date':
      return fc.integer({ min: -20_000, max: 40_000 });
    case 'string':
      return fc.string({ unit: 'grapheme' });
    default:
      throw new Error(`no values of type ${type}`);
  }
}
