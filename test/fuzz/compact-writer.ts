/** Thrift values, and their bytes in the compact protocol: what the reader under test never writes. */
export type ThriftValue =
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'i8' | 'i32' | 'i64'; readonly value: number | bigint }
  | { readonly type: 'binary'; readonly value: Uint8Array }
  | { readonly type: 'list'; readonly of: ThriftValue['type']; readonly value: readonly ThriftValue[] }
  | ThriftStruct;

export interface ThriftStruct {
  readonly type: 'struct';
  /** Field IDs, ascending as writers have them, and their values. */
  readonly value: readonly (readonly [id: number, value: ThriftValue])[];
}

export const boolean = (value: boolean): ThriftValue => ({ type: 'boolean', value });
export const i8 = (value: number): ThriftValue => ({ type: 'i8', value });
export const i32 = (value: number): ThriftValue => ({ type: 'i32', value });
export const i64 = (value: number | bigint): ThriftValue => ({ type: 'i64', value });
export const binary = (value: Uint8Array | string): ThriftValue => ({
  type: 'binary',
  value: Buffer.from(value),
});
export const list = (of: ThriftValue['type'], value: readonly ThriftValue[]): ThriftValue => ({
  type: 'list',
  of,
  value,
});

/** A struct of the fields that are there. */
export function struct(fields: Readonly<Record<number, ThriftValue | undefined>>): ThriftStruct {
  const value = Object.entries(fields).flatMap(([id, field]) =>
    field ? [[Number(id), field] as const] : [],
  );
  return { type: 'struct', value };
}

const wireTypes = { boolean: 1, i8: 3, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

export function encode(value: ThriftValue): Buffer {
  const bytes: number[] = [];
  write(bytes, value);
  return Buffer.from(bytes);
}

function write(out: number[], thrift: ThriftValue): void {
  switch (thrift.type) {
    case 'boolean':
      out.push(thrift.value ? 1 : 2);
      return;
    case 'i8':
      out.push(Number(thrift.value) & 0xff);
      return;
    case 'i32':
    case 'i64':
      writeVarint(out, zigZag(BigInt(thrift.value)));
      return;
    case 'binary':
      writeVarint(out, BigInt(thrift.value.length));
      for (const byte of thrift.value) out.push(byte);
      return;
    case 'list': {
      const size = thrift.value.length;
      out.push((Math.min(size, 15) << 4) | wireTypes[thrift.of]);
      if (size >= 15) writeVarint(out, BigInt(size));
      for (const element of thrift.value) write(out, element);
      return;
    }
    case 'struct': {
      let last = 0;
      for (const [id, field] of thrift.value) {
        const isFalse = field.type === 'boolean' && !field.value;
        const type = isFalse ? 2 : wireTypes[field.type];
        const delta = id - last;
        if (delta > 0 && delta < 16) out.push((delta << 4) | type);
        else {
          out.push(type);
          writeVarint(out, zigZag(BigInt(id)));
        }
        if (field.type !== 'boolean') write(out, field);
        last = id;
      }
      out.push(0);
    }
  }
}

const zigZag = (value: bigint): bigint => BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));

function writeVarint(out: number[], value: bigint): void {
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  out.push(Number(rest));
}
