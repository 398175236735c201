import type { FooterRead } from './read-footer.ts';

/** `KeyValue` of the footer's metadata in Thrift's compact protocol: field 1 of 14 bytes, the key of Iceberg's Java writers, then field 2. */
const KEY = Buffer.from('\x18\x0eiceberg.schema\x18', 'latin1');
const BRACE = 0x7b;

/**
 * Whether an Iceberg engine such as Spark or Flink wrote the file. They leave the table's schema in the footer as JSON, so the
 * file may be one of the table's own, at a path that nothing remembers (I11). Checked without decoding the footer.
 */
export function isWrittenByIceberg({ bytes }: Pick<FooterRead, 'bytes'>): boolean {
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = footer.indexOf(KEY); at >= 0; at = footer.indexOf(KEY, at + 1)) {
    let lastOfLength = at + KEY.length;
    while ((footer[lastOfLength] ?? 0) >= 0x80) lastOfLength += 1;
    if (footer[lastOfLength + 1] === BRACE) return true;
  }
  return false;
}
