import { onceFor } from '../../memo.ts';
import type { AvroShape, AvroShapeField } from './avro-shape.ts';
import {
  type ByteReader,
  readBytes,
  readInt,
  readItemCount,
  readLong,
  readRaw,
  skipLong,
} from './byte-reader.ts';

/** A field to read, by its Iceberg field ID, and the type to read it as: a value or an array of records. */
export type Column =
  | { readonly id: number; readonly as: keyof Values }
  | { readonly id: number; readonly each: Columns };

export type Columns = { readonly [name: string]: Column };

interface Values {
  readonly boolean: boolean;
  readonly int: number;
  readonly long: bigint;
  readonly string: string;
  readonly bytes: Uint8Array;
}

/** The values that were read, by the names of the columns. A null or absent value is undefined. */
export type Row<C extends Columns> = {
  readonly [K in keyof C]?: C[K] extends { readonly each: infer E extends Columns }
    ? readonly Row<E>[]
    : C[K] extends { readonly as: infer A extends keyof Values }
      ? Values[A]
      : never;
};

/**
 * Makes a function that reads the given columns of records in their writer's schema. Columns are found by field ID and never by
 * name (cases.md C18, C25), in nested records too. Everything else is skipped.
 *
 * @throws TypeError if a column has another type in the schema
 */
export function rowReader<C extends Columns>(shape: AvroShape, columns: C): (input: ByteReader) => Row<C> {
  return rowReaders(shape)(columns) as (input: ByteReader) => Row<C>;
}

/** Remembered: most manifests of a table have the same schema, and only a few sets of columns are read. */
const rowReaders = onceFor((shape: AvroShape) =>
  onceFor((columns: Columns) => makeRowReader(shape, columns)),
);

function makeRowReader(shape: AvroShape, columns: Columns): (input: ByteReader) => Record<string, unknown> {
  if (shape.kind !== 'record') throw new TypeError(`the schema is of ${shape.kind}, not of records`);
  const wanted = new Map(Object.entries(columns).map(([name, column]) => [column.id, { name, column }]));
  const steps = recordSteps(shape.fields, wanted);
  return (input) => {
    const row: Record<string, unknown> = {};
    for (const step of steps) step(input, row);
    return row;
  };
}

type Step = (input: ByteReader, row: Record<string, unknown>) => void;
type Read = (input: ByteReader) => unknown;

function recordSteps(
  fields: readonly AvroShapeField[],
  wanted: ReadonlyMap<number, { readonly name: string; readonly column: Column }>,
): readonly Step[] {
  return fields.flatMap(({ name: avroName, id, shape }): readonly Step[] => {
    const found = id === undefined ? undefined : wanted.get(id);
    if (found !== undefined) {
      const { name, column } = found;
      const read = reader(shape, column);
      if (read === undefined) {
        throw new TypeError(`field "${avroName}" with ID ${id} is ${shape.kind}, not ${wantedAs(column)}`);
      }
      return [
        (input, row) => {
          row[name] = read(input);
        },
      ];
    }
    return shape.kind === 'record' ? recordSteps(shape.fields, wanted) : [skipper(shape)];
  });
}

/** Undefined if the shape cannot be read as the type that the column asks for. */
function reader(shape: AvroShape, column: Column): Read | undefined {
  if (shape.kind === 'null') return () => undefined;
  if (shape.kind === 'union') {
    const branches = shape.branches.flatMap((branch) => reader(branch, column) ?? []);
    return branches.length === shape.branches.length ? branchReader(branches) : undefined;
  }
  if ('each' in column) {
    return shape.kind === 'array' ? itemsReader(rowReader(shape.items, column.each)) : undefined;
  }
  switch (`${shape.kind} as ${column.as}`) {
    case 'boolean as boolean':
      return (input) => readRaw(input, 1)[0] !== 0;
    case 'int as int':
      return readInt;
    case 'long as int':
      return (input) => Number(readLong(input));
    case 'int as long':
    case 'long as long':
      return readLong;
    case 'string as string':
      return (input) => readBytes(input).toString('utf8');
    case 'bytes as bytes':
      return readBytes;
    default:
      return undefined;
  }
}

/** Makes a function that skips a value. */
export function skipper(shape: AvroShape): Read {
  switch (shape.kind) {
    case 'null':
      return () => undefined;
    case 'boolean':
      return (input) => readRaw(input, 1);
    case 'int':
    case 'long':
    case 'enum':
      return skipLong;
    case 'float':
      return (input) => readRaw(input, 4);
    case 'double':
      return (input) => readRaw(input, 8);
    case 'fixed':
      return (input) => readRaw(input, shape.size);
    case 'bytes':
    case 'string':
      return readBytes;
    case 'union':
      return branchReader(shape.branches.map(skipper));
    case 'array':
      return itemsSkipper(skipper(shape.items));
    case 'map': {
      const skipValue = skipper(shape.values);
      return itemsSkipper((input) => {
        readBytes(input);
        return skipValue(input);
      });
    }
    case 'record': {
      const skips = shape.fields.map((field) => skipper(field.shape));
      return (input) => {
        for (const skip of skips) skip(input);
        return undefined;
      };
    }
  }
}

function branchReader(branches: readonly Read[]): Read {
  return (input) => {
    const index = readInt(input);
    const branch = branches[index];
    if (branch === undefined)
      throw new RangeError(`a union of ${branches.length} types has no type ${index}`);
    return branch(input);
  };
}

function itemsReader(readItem: Read): Read {
  return (input) => {
    const items: unknown[] = [];
    for (let left = readItemCount(input); left !== 0; left = readItemCount(input)) {
      for (; left > 0; left -= 1) items.push(readItem(input));
    }
    return items;
  };
}

function itemsSkipper(skipItem: Read): Read {
  return (input) => {
    for (let left = readItemCount(input); left !== 0; left = readItemCount(input)) {
      for (; left > 0; left -= 1) skipItem(input);
    }
  };
}

function wantedAs(column: Column): string {
  return 'as' in column ? column.as : 'an array of records';
}
