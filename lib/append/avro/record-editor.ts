import type { AvroShape, AvroShapeField } from './avro-shape.ts';
import { type ByteReader, byteReader, readInt } from './byte-reader.ts';
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
  return applied(copier(shape));
}

/**
 * The same into another schema: fields are found by their IDs and copied where both schemas encode them alike; those that
 * the record lacks are null, or the value given.
 *
 * @param dropped field IDs that may go, since the target's format version has them no more
 * @throws TypeError when a field has no place in the target or another type there: nothing is ever lost
 */
export function recordTranscoder(
  shape: AvroShape,
  target: AvroShape,
  dropped: ReadonlySet<number>,
): (record: Uint8Array, values: FieldValues) => Buffer {
  if (isAlike(shape, target)) return recordEditor(shape);
  return applied(transcoder(shape, target, dropped));
}

function applied(step: Step): (record: Uint8Array, values: FieldValues) => Buffer {
  return (record, values) => {
    const out = byteWriter();
    step(byteReader(record), out, values);
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
    return id === undefined ? copy : edited(id, held, skipper(held), copy);
  });
  return (input, out, values) => {
    for (const step of steps) step(input, out, values);
  };
}

/** Writes the value given for a field, otherwise goes on as without one. */
function edited(id: number, target: AvroShape, skip: (input: ByteReader) => unknown, copy: Step): Step {
  return (input, out, values) => {
    const value = values.get(id);
    if (value === undefined) return copy(input, out, values);
    skip(input);
    writeValue(out, target, value);
  };
}

/** Records are read field by field first, since the target may have another order. */
function transcoder(shape: AvroShape, target: AvroShape, dropped: ReadonlySet<number>): Step {
  if (isAlike(shape, target)) return copier(shape);
  if (shape.kind !== 'record' || target.kind !== 'record') return branchTranscoder(shape, target);

  for (const { id, name } of shape.fields) {
    const isKept = id !== undefined && (dropped.has(id) || target.fields.some((field) => field.id === id));
    if (!isKept)
      throw new TypeError(`field "${name}" with ID ${id} has no place in the manifest to be written`);
  }
  const skips = shape.fields.map((field) => skipper(field.shape));
  const steps = target.fields.map((field) => fieldTranscoder(field, shape.fields, dropped));
  return (input, out, values) => {
    const starts = skips.map((skip) => {
      const start = input.at;
      skip(input);
      return start;
    });
    const end = input.at;
    for (const { from, step } of steps) {
      input.at = starts[from] ?? end;
      step(input, out, values);
    }
    input.at = end;
  };
}

function fieldTranscoder(
  { id, name, shape }: AvroShapeField,
  fields: readonly AvroShapeField[],
  dropped: ReadonlySet<number>,
): { readonly from: number; readonly step: Step } {
  const from = fields.findIndex((field) => field.id === id);
  const source = fields[from];
  if (id === undefined) throw new TypeError(`field "${name}" of the manifest to be written has no ID`);
  if (source === undefined) {
    return { from, step: (_input, out, values) => writeValue(out, shape, values.get(id) ?? null) };
  }
  return { from, step: edited(id, shape, skipper(source.shape), transcoder(source.shape, shape, dropped)) };
}

/** A value in a union, on either side: its branch is the one of the same type. */
function branchTranscoder(shape: AvroShape, target: AvroShape): Step {
  const targets = branchesOf(target);
  const branches = branchesOf(shape).map((branch) => ({
    copy: copier(branch),
    to: targets.findIndex((candidate) => isAlike(branch, candidate)),
  }));
  const refused = new TypeError(`a value of ${shape.kind} cannot be written as ${target.kind}`);
  if (branches.every(({ to }) => to < 0)) throw refused;
  return (input, out, values) => {
    const branch = branches[shape.kind === 'union' ? readInt(input) : 0];
    if (branch === undefined || branch.to < 0) throw refused;
    if (target.kind === 'union') writeLong(out, branch.to);
    branch.copy(input, out, values);
  };
}

function branchesOf(shape: AvroShape): readonly AvroShape[] {
  return shape.kind === 'union' ? shape.branches : [shape];
}

/** Whether the bytes of one are those of the other. An int is a long with the same bytes; some writers leave IDs of nested fields out. */
function isAlike(shape: AvroShape, target: AvroShape): boolean {
  if (shape.kind === 'int' && target.kind === 'long') return true;
  switch (shape.kind) {
    case 'fixed':
      return target.kind === 'fixed' && shape.size === target.size;
    case 'union':
      return target.kind === 'union' && areAlike(shape.branches, target.branches);
    case 'array':
      return target.kind === 'array' && isAlike(shape.items, target.items);
    case 'map':
      return target.kind === 'map' && isAlike(shape.values, target.values);
    case 'record':
      return target.kind === 'record' && areFieldsAlike(shape.fields, target.fields);
    default:
      return shape.kind === target.kind;
  }
}

function areAlike(shapes: readonly AvroShape[], targets: readonly AvroShape[]): boolean {
  return (
    shapes.length === targets.length &&
    shapes.every((shape, index) => {
      const target = targets[index];
      return target !== undefined && isAlike(shape, target);
    })
  );
}

function areFieldsAlike(fields: readonly AvroShapeField[], targets: readonly AvroShapeField[]): boolean {
  return (
    fields.every(({ id }, index) => id === undefined || id === targets[index]?.id) &&
    areAlike(
      fields.map(({ shape }) => shape),
      targets.map(({ shape }) => shape),
    )
  );
}

function writeValue(out: ByteWriter, shape: AvroShape, value: bigint | null): void {
  const branches = branchesOf(shape);
  const branch = branches.findIndex(({ kind }) => holds(kind, value));
  if (branch < 0) throw new TypeError(`a field of ${shape.kind} cannot hold ${value}`);
  if (shape.kind === 'union') writeLong(out, branch);
  if (value !== null) writeLong(out, value);
}

function holds(kind: AvroShape['kind'], value: bigint | null): boolean {
  return value === null ? kind === 'null' : kind === 'int' || kind === 'long';
}
