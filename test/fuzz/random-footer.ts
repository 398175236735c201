/** Footers made by chance: mostly right, wrong in one place now and then. */
import type { Dice } from '../../local/shipper/dice.ts';
import {
  binary,
  boolean,
  i8,
  i32,
  i64,
  list,
  struct,
  type ThriftStruct,
  type ThriftValue,
} from './compact-writer.ts';

interface Leaf {
  readonly physical: number;
  readonly length: number;
  readonly path: readonly string[];
  readonly repeated: boolean;
}

interface Draft {
  readonly dice: Dice;
  readonly elements: ThriftValue[];
  readonly leaves: Leaf[];
  nextId: number;
  readonly withIds: boolean;
}

const nothing = struct({});
const timeUnit = (dice: Dice): ThriftValue => struct({ [dice.integer(1, 3)]: nothing });
const time = (dice: Dice): ThriftValue => struct({ 1: boolean(dice.chance(0.5)), 2: timeUnit(dice) });

/** What may stand on each physical type: logical types by their number in the union, converted types. */
const logicalTypes: Readonly<Record<number, readonly number[]>> = {
  0: [],
  1: [5, 6, 7, 10],
  2: [5, 7, 8, 10],
  3: [],
  4: [],
  5: [],
  6: [1, 4, 5, 12, 13, 17, 18],
  7: [5, 14, 15],
};
const convertedTypes: Readonly<Record<number, readonly number[]>> = {
  1: [5, 6, 7, 11, 12, 13, 15, 16, 17],
  2: [5, 8, 9, 10, 14, 18],
  6: [0, 4, 5, 19, 20],
  7: [5, 21],
};

/** A `FileMetaData`; `fileSize` is the size of the file it would lie in. */
export function randomFooter(dice: Dice): { readonly footer: ThriftStruct; readonly dataBytes: number } {
  const draft: Draft = { dice, elements: [], leaves: [], nextId: 1, withIds: dice.chance(0.9) };
  const columns = dice.integer(1, 8);
  draft.elements.push(struct({ 4: binary('root'), 5: i32(columns) }));
  for (let i = 0; i < columns; i++) addField(draft, [], `c${i}`, 0, false);

  const dataBytes = 1_000_000;
  let offset = 4;
  const groups = Array.from({ length: dice.integer(0, 4) }, () => {
    const rows = dice.chance(0.1) ? 0 : dice.integer(1, 1000);
    const chunks = draft.leaves.map((leaf) => {
      const size = dice.integer(20, 2000);
      const chunk = columnChunk(dice, leaf, rows, offset, size);
      offset += size;
      return chunk;
    });
    return { rows, value: struct({ 1: list('struct', chunks), 2: i64(offset), 3: i64(rows) }) };
  });
  const rows = groups.reduce((sum, group) => sum + group.rows, 0);
  const footer = struct({
    1: i32(2),
    2: list('struct', draft.elements),
    3: i64(dice.chance(0.98) ? rows : dice.integer(-5, 2000)),
    4: list(
      'struct',
      groups.map(({ value }) => value),
    ),
    5: dice.chance(0.3)
      ? list('struct', [struct({ 1: binary('iceberg.schema'), 2: binary('{}') })])
      : undefined,
    6: dice.chance(0.9) ? binary(`writer ${dice.integer(0, 9)}`) : undefined,
    7: dice.chance(0.8)
      ? list(
          'struct',
          draft.leaves.map(() => struct({ [dice.chance(0.9) ? 1 : dice.integer(2, 5)]: nothing })),
        )
      : undefined,
  });
  return { footer, dataBytes };
}

function addField(
  draft: Draft,
  path: readonly string[],
  name: string,
  depth: number,
  repeated: boolean,
  hasId = true,
): void {
  const { dice, elements } = draft;
  const repetition = i32(dice.chance(0.4) ? 0 : 1);
  const id = draft.withIds && hasId ? i32(draft.nextId++) : undefined;
  const fullPath = [...path, name];
  const kind = depth < 3 && dice.chance(0.25) ? dice.pick(['struct', 'list', 'map'] as const) : 'leaf';
  const group = (children: number, converted?: number): number =>
    elements.push(
      struct({
        3: repetition,
        4: binary(name),
        5: i32(children),
        6: converted === undefined ? undefined : i32(converted),
        9: id,
      }),
    );
  const middle = (middleName: string, children: number): number =>
    elements.push(struct({ 3: i32(2), 4: binary(middleName), 5: i32(children) }));
  switch (kind) {
    case 'struct': {
      const children = dice.integer(1, 3);
      group(children);
      for (let i = 0; i < children; i++) addField(draft, fullPath, `f${i}`, depth + 1, repeated);
      return;
    }
    case 'list': {
      const list = dice.pick(['list', 'bag', 'array']);
      group(1, 3);
      middle(list, 1);
      addField(draft, [...fullPath, list], 'element', depth + 1, true);
      return;
    }
    case 'map':
      group(1, dice.pick([1, 2]));
      middle('key_value', 2);
      addField(draft, [...fullPath, 'key_value'], 'key', depth + 1, true);
      addField(draft, [...fullPath, 'key_value'], 'value', depth + 1, true);
      return;
    default:
      addLeaf(draft, fullPath, repetition, id, repeated);
  }
}

function addLeaf(
  draft: Draft,
  path: readonly string[],
  repetition: ThriftValue,
  id: ThriftValue | undefined,
  repeated: boolean,
): void {
  const { dice } = draft;
  const physical = dice.integer(0, 7);
  const logical = dice.chance(0.3) ? any(dice, logicalTypes[physical]) : undefined;
  const converted =
    logical === undefined && dice.chance(0.3) ? any(dice, convertedTypes[physical]) : undefined;
  const isDecimal = logical === 5 || converted === 5;
  const length = logical === 14 ? 16 : dice.integer(1, 20);
  draft.leaves.push({ physical, length, path, repeated });
  draft.elements.push(
    struct({
      1: i32(physical),
      2: physical === 7 ? i32(length) : undefined,
      3: repetition,
      4: binary(path.at(-1) ?? ''),
      6: converted === undefined ? undefined : i32(converted),
      7: isDecimal ? i32(1) : undefined,
      8: isDecimal ? i32(dice.integer(1, 12)) : undefined,
      9: id,
      10: logical === undefined ? undefined : logicalType(dice, logical),
    }),
  );
}

function any(dice: Dice, choices: readonly number[] = []): number | undefined {
  return choices[dice.integer(0, choices.length - 1)];
}

function logicalType(dice: Dice, kind: number): ThriftValue {
  const parameters: Readonly<Record<number, ThriftStruct>> = {
    5: struct({ 1: i32(1), 2: i32(dice.integer(1, 12)) }),
    7: time(dice) as ThriftStruct,
    8: time(dice) as ThriftStruct,
    10: struct({ 1: i8(dice.pick([8, 16, 32, 64])), 2: boolean(dice.chance(0.6)) }),
  };
  return struct({ [kind]: parameters[kind] ?? nothing });
}

function columnChunk(dice: Dice, leaf: Leaf, rows: number, offset: number, size: number): ThriftValue {
  const values = leaf.repeated ? rows + dice.integer(0, 50) : rows;
  const hasDictionary = dice.chance(0.3);
  const metaData = struct({
    1: i32(leaf.physical),
    2: list('i32', [i32(0), i32(3)]),
    3: list(
      'binary',
      leaf.path.map((name) => binary(name)),
    ),
    4: i32(dice.integer(0, 7)),
    5: i64(values),
    6: i64(size + 10),
    7: i64(size),
    9: i64(hasDictionary ? offset + 10 : offset),
    11: hasDictionary ? i64(offset) : undefined,
    12: dice.chance(0.85) ? statistics(dice, leaf, values) : undefined,
    16: dice.chance(0.2) ? struct({ 1: i64(5), 2: list('i64', [i64(1), i64(2)]) }) : undefined,
  });
  return struct({ 2: i64(offset), 3: metaData, 4: dice.chance(0.2) ? i64(9) : undefined });
}

function statistics(dice: Dice, leaf: Leaf, values: number): ThriftValue {
  const widths: Readonly<Record<number, number>> = { 0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 7: leaf.length };
  const extreme = (): ThriftValue | undefined =>
    dice.chance(0.95) ? binary(dice.bytes(widths[leaf.physical] ?? dice.integer(0, 30))) : undefined;
  const isOld = dice.chance(0.2);
  return struct({
    1: isOld ? extreme() : undefined,
    2: isOld ? extreme() : undefined,
    3: dice.chance(0.9) ? i64(dice.integer(0, values)) : undefined,
    5: isOld ? undefined : extreme(),
    6: isOld ? undefined : extreme(),
    7: dice.chance(0.2) ? boolean(dice.chance(0.5)) : undefined,
    8: dice.chance(0.2) ? boolean(dice.chance(0.5)) : undefined,
  });
}
