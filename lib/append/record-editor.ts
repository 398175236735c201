import type { AvroShape } from './avro-shape.ts';
import { type ByteReader, byteReader } from './byte-reader.ts';
import { type ByteWriter, byteWriter, writeLong, writeRaw, written } from './byte-writer.ts';
import { skipper } from './row-reader.ts';

/** Ints and longs to be written in place of those that are there, by field ID; null is null. */
export type FieldValues = ReadonlyMap<number, bigint | null>;

/** The field IDs of a record that a {@link recordEditor} reaches. */
export function editableFields(shape: AvroShape): ReadonlySet<number> {
  if (shape.kind !== 'record') return new Set();
  return new Set(
    shape.fields.flatMap(({ id, shape: held }) => [
      ...(id === undefined ? [] : [id]),
      ...editableFields(held),
    ]),
  );
}

type Step = (input: ByteReader, out: ByteWriter, values: FieldValues) => void;

/**
 * Copies a record byte by byte but for some ints and longs, so that nothing of what its writer wrote is lost or rounded
 * (cases.md C26). Fields of nested records count too; an ID that the schema does not have is passed over.
 *
 * @throws TypeError for a field whose type cannot hold the value
 */
export function recordEditor(shape: AvroShape): (record: Uint8Array, values: FieldValues) => Buffer {
  const copy = copier(shape);
  return (record, values) => {
    const out = byteWriter();
    copy(byteReader(record), out, values);
    return written(out);
  };
}

function copier(shape: AvroShape): Step {
  if (shape.kind !== 'record') {
    const skip = skipper(shape);
    return (input, out) => {
      const start = input.at;
      skip(input);
      writeRaw(out, input.bytes.subarray(start, input.at));
    };
  }
  const steps = shape.fields.map(({ id, shape: held }): Step => {
    const copy = copier(held);
    if (id === undefined) return copy;
    const skip = skipper(held);
    return (input, out, values) => {
      const value = values.get(id);
      if (value === undefined) return copy(input, out, values);
      skip(input);
      writeValue(out, held, value);
    };
  });
  return (input, out, values) => {
    for (const step of steps) step(input, out, values);
  };
}

function writeValue(out: ByteWriter, shape: AvroShape, value: bigint | null): void {
  const branches = shape.kind === 'union' ? shape.branches : [shape];
  const branch = branches.findIndex(({ kind }) => holds(kind, value));
  if (branch < 0) throw new TypeError(`a field of ${shape.kind} cannot hold ${value}`);
  if (shape.kind === 'union') writeLong(out, branch);
  if (value !== null) writeLong(out, value);
}

function holds(kind: AvroShape['kind'], value: bigint | null): boolean {
  return value === null ? kind === 'null' : kind === 'int' || kind === 'long';
}
