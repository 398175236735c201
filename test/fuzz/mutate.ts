/** Damage: to the structure of a footer before it is written, and to its bytes after. */
import type { Dice } from '../../local/shipper/dice.ts';
import { binary, i32, i64, list, struct, type ThriftStruct, type ThriftValue } from './compact-writer.ts';

const telling = [0, 1, -1, 2, 127, 128, -128, 255, 32767, 2147483447, 2147483647, -2147483648] as const;
const telling64 = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 2n ** 32n] as const;

/** The struct with one of its values, however deep, changed, dropped or doubled. */
export function damageStructure(dice: Dice, footer: ThriftStruct): ThriftStruct {
  const at = dice.integer(0, footer.value.length - 1);
  const fields = footer.value.flatMap(([id, value], index) => {
    if (index !== at) return [[id, value] as const];
    const action = dice.fraction();
    if (action < 0.04) return [];
    if (action < 0.07) return [[id, value] as const, [id, value] as const];
    if (action < 0.09) return [[dice.integer(-40, 40000), value] as const];
    return [[id, damageValue(dice, value)] as const];
  });
  return { type: 'struct', value: fields };
}

function damageValue(dice: Dice, value: ThriftValue): ThriftValue {
  if (dice.chance(0.03))
    return dice.pick([i32(1), i64(1), binary('x'), struct({}), list('struct', [])] as const);
  switch (value.type) {
    case 'boolean':
      return { ...value, value: !value.value };
    case 'i8':
    case 'i32':
      return { ...value, value: dice.pick(telling) };
    case 'i64':
      return { ...value, value: dice.chance(0.5) ? dice.pick(telling) : dice.pick(telling64) };
    case 'binary':
      return binary(dice.bytes(dice.integer(0, 40)));
    case 'struct':
      return value.value.length === 0 ? value : damageStructure(dice, value);
    case 'list': {
      if (value.value.length === 0 || dice.chance(0.05))
        return { ...value, value: [...value.value, ...value.value] };
      const at = dice.integer(0, value.value.length - 1);
      if (dice.chance(0.05)) return { ...value, value: value.value.toSpliced(at, 1) };
      return {
        ...value,
        value: value.value.map((element, index) => (index === at ? damageValue(dice, element) : element)),
      };
    }
  }
}

/** The bytes with a few of them flipped, replaced, cut out, repeated or made a huge varint. */
export function damageBytes(dice: Dice, bytes: Uint8Array): Uint8Array {
  let damaged = Buffer.from(bytes);
  for (let times = dice.integer(1, 3); times > 0 && damaged.length > 0; times--) {
    const at = dice.integer(0, damaged.length - 1);
    const [before, after] = [damaged.subarray(0, at), damaged.subarray(at)];
    const length = dice.integer(1, 8);
    damaged = dice.pick([
      () =>
        Buffer.concat([before, Buffer.of((after[0] ?? 0) ^ (1 << dice.integer(0, 7))), after.subarray(1)]),
      () => Buffer.concat([before, dice.bytes(1), after.subarray(1)]),
      () => Buffer.concat([before, after.subarray(length)]),
      () => Buffer.concat([before, dice.bytes(length), after]),
      () => Buffer.concat([before, after.subarray(0, length), after]),
      () => Buffer.concat([before, Buffer.alloc(dice.integer(1, 12), 0xff), after]),
      () => before,
    ])();
  }
  return damaged;
}
