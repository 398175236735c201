import type { FooterRead } from './read-footer.ts';

/** A `KeyValue` of the footer's metadata in Thrift's compact protocol up to its value: field 1, the key with its length, then field 2. */
const keyOf = (key: string): Buffer =>
  Buffer.from(`\x18${String.fromCharCode(key.length)}${key}\x18`, 'latin1');

const SCHEMA = keyOf('iceberg.schema');
const DELETE_TYPE = keyOf('delete-type');
const BRACE = 0x7b;

/**
 * Whether an Iceberg engine such as Spark or Flink wrote the file. They leave the table's schema in the footer as JSON, so the
 * file may be one of the table's own, at a path that nothing remembers (I11). Checked without decoding the footer.
 */
export function isWrittenByIceberg({ bytes }: Pick<FooterRead, 'bytes'>): boolean {
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return valuesOf(footer, SCHEMA).some((value) => footer[value] === BRACE);
}

/** The kind of deletes that Iceberg's writers say the file holds, instead of rows; undefined for a file of data. */
export function deleteTypeOf({ bytes }: Pick<FooterRead, 'bytes'>): 'equality' | 'position' | undefined {
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = valuesOf(footer, DELETE_TYPE);
  return (['equality', 'position'] as const).find((type) =>
    values.some((value) => footer.toString('latin1', value, value + type.length) === type),
  );
}

/** Where the values of a key begin. */
function valuesOf(footer: Buffer, key: Buffer): readonly number[] {
  const values: number[] = [];
  for (let at = footer.indexOf(key); at >= 0; at = footer.indexOf(key, at + 1)) {
    let lastOfLength = at + key.length;
    while ((footer[lastOfLength] ?? 0) >= 0x80) lastOfLength += 1;
    values.push(lastOfLength + 1);
  }
  return values;
}
