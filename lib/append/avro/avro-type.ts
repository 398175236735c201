import { type AvroField, type AvroSchema, avroName } from './avro-schema.ts';
import { type ByteWriter, writeBytes, writeLong, writeRaw, writeString } from './byte-writer.ts';

/**
 * An Avro type: its schema together with the function that writes a value, so that the two cannot differ. Every field and
 * element has its Iceberg ID in the schema (cases.md C1).
 */
export interface AvroType<T> {
  readonly schema: AvroSchema;
  readonly write: (out: ByteWriter, value: T) => void;
}

export const boolean: AvroType<boolean> = {
  schema: 'boolean',
  write: (out, value) => writeRaw(out, value ? TRUE : FALSE),
};
const TRUE = Uint8Array.of(1);
const FALSE = Uint8Array.of(0);

export const int: AvroType<number> = { schema: 'int', write: writeLong };
export const long: AvroType<bigint> = { schema: 'long', write: writeLong };
export const string: AvroType<string> = { schema: 'string', write: writeString };
export const bytes: AvroType<Uint8Array> = { schema: 'bytes', write: writeBytes };

/** `["null", T]`; null and undefined are null. */
export function optional<T>(type: AvroType<T>): AvroType<T | null | undefined> {
  return {
    schema: ['null', type.schema],
    write: (out, value) => {
      if (value === null || value === undefined) return writeLong(out, 0);
      writeLong(out, 1);
      type.write(out, value);
    },
  };
}

export function array<T>(elementId: number, element: AvroType<T>): AvroType<readonly T[]> {
  return {
    schema: { type: 'array', items: element.schema, 'element-id': elementId },
    write: (out, values) =>
      writeItems(out, values.length, () => {
        for (const value of values) element.write(out, value);
      }),
  };
}

/** A map by column ID: Avro's own maps have string keys, so Iceberg writes an array of pairs (spec, Appendix A). */
export function mapByColumn<V>(
  keyId: number,
  valueId: number,
  value: AvroType<V>,
): AvroType<ReadonlyMap<number, V>> {
  const pair = record<readonly [number, V]>(`k${keyId}_v${valueId}`, [
    field(keyId, 'key', int, ([key]) => key),
    field(valueId, 'value', value, ([, held]) => held),
  ]);
  return {
    schema: { type: 'array', items: pair.schema, logicalType: 'map' },
    // As the pair is written, but without making one: most of a manifest's values are in such maps.
    write: (out, map) =>
      writeItems(out, map.size, () =>
        map.forEach((held, key) => {
          int.write(out, key);
          value.write(out, held);
        }),
      ),
  };
}

/** A field of a record whose values are of type `R`. */
export interface RecordField<R> {
  readonly schema: AvroField;
  readonly write: (out: ByteWriter, record: R) => void;
}

export function field<R, T>(
  id: number,
  name: string,
  type: AvroType<T>,
  get: (record: R) => T,
): RecordField<R> {
  const isOptional = Array.isArray(type.schema);
  return {
    schema: {
      name: avroName(name),
      type: type.schema,
      ...(isOptional && { default: null }),
      'field-id': id,
      ...(avroName(name) !== name && { 'iceberg-field-name': name }),
    },
    write: (out, value) => type.write(out, get(value)),
  };
}

export function record<R>(name: string, fields: readonly RecordField<R>[]): AvroType<R> {
  return {
    schema: { type: 'record', name, fields: fields.map(({ schema }) => schema) },
    write: (out, value) => {
      for (const { write } of fields) write(out, value);
    },
  };
}

/** One block of items, if there are any, and the end (Avro, "Arrays"). */
function writeItems(out: ByteWriter, count: number, writeAll: () => void): void {
  if (count > 0) {
    writeLong(out, count);
    writeAll();
  }
  writeLong(out, 0);
}
