import type { AvroShape, AvroShapeField } from './avro-shape.ts';
import { type ByteReader, byteReader, readInt } from './byte-reader.ts';
import { type ByteWriter, byteWriter, writeLong, writeRaw, written } from './byte-writer.ts';
import { skipper } from './row-reader.ts';

/** Ints and longs that replace the values of fields, by field ID. Null is written as null. */
export type FieldValues = ReadonlyMap<number, bigint | null>;

/** The IDs of all fields that a {@link recordEditor} can replace. */
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
 * Makes a function that copies a record byte by byte, except for the given ints and longs, so that nothing that the writer
 * wrote is lost or rounded (cases.md C26). Fields of nested records are replaced too. IDs that the schema lacks are ignored.
 *
 * @throws TypeError for a field whose type cannot hold the value
 */
export function recordEditor(shape: AvroShape): (record: Uint8Array, values: FieldValues) => Buffer {
  return applied(copier(shape));
}

/**
 * Like {@link recordEditor}, but writes the record in another schema. Fields are found by ID and copied, which requires that
 * both schemas encode them alike. Fields that the record lacks become null or the given value.
 *
 * @param dropped IDs of fields that may be lost, because the target's format version does not have them
 * @throws TypeError if any other field is missing in the target or has another type there, so that nothing is lost
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

/** Writes the given value of a field; without one, copies the field. */
function edited(id: number, target: AvroShape, skip: (input: ByteReader) => unknown, copy: Step): Step {
  return (input, out, values) => {
    const value = values.get(id);
    if (value === undefined) return copy(input, out, values);
    skip(input);
    writeValue(out, target, value);
  };
}

/** Finds where each field of the record starts before writing, since the target may have another order. */
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

/** Writes a value whose type is a union in one or both schemas: in the target it takes the branch of the same type. */
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

/**
 * Whether both shapes encode a value in the same bytes. An int is encoded like the same long. IDs that a writer left out of nested
 * fields are not compared.
 */
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
