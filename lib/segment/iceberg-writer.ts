import type { FooterRead } from './read-footer.ts';

/**
 * The bytes of a `KeyValue` in the footer's metadata up to its value, in Thrift's compact protocol: the header of field 1, the
 * key with its length, and the header of field 2.
 */
const keyOf = (key: string): Buffer =>
  Buffer.from(`\x18${String.fromCharCode(key.length)}${key}\x18`, 'latin1');

const SCHEMA = keyOf('iceberg.schema');
const DELETE_TYPE = keyOf('delete-type');
const BRACE = 0x7b;

/**
 * Whether an Iceberg engine such as Spark or Flink wrote the file. These engines write the table's schema into the footer as
 * JSON. Such a file may be one of the table's own files, at a path that the table no longer has in its properties (I11). Checked
 * without decoding the footer.
 */
export function isWrittenByIceberg({ bytes }: Pick<FooterRead, 'bytes'>): boolean {
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return valuesOf(footer, SCHEMA).some((value) => footer[value] === BRACE);
}

/** The kind of deletes in the file, as Iceberg's writers state it in the footer; undefined for a data file. */
export function deleteTypeOf({ bytes }: Pick<FooterRead, 'bytes'>): 'equality' | 'position' | undefined {
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = valuesOf(footer, DELETE_TYPE);
  return (['equality', 'position'] as const).find((type) =>
    values.some((value) => footer.toString('latin1', value, value + type.length) === type),
  );
}

/** The positions at which the values of a key begin. */
function valuesOf(footer: Buffer, key: Buffer): readonly number[] {
  const values: number[] = [];
  for (let at = footer.indexOf(key); at >= 0; at = footer.indexOf(key, at + 1)) {
    let lastOfLength = at + key.length;
    while ((footer[lastOfLength] ?? 0) >= 0x80) lastOfLength += 1;
    values.push(lastOfLength + 1);
  }
  return values;
}
