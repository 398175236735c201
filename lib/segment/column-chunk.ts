/** Checks one column chunk of a row group against the schema and the file that it claims to be part of (cases A26, A27). */
import { type ErrorCode, RegistrarError } from '../errors.ts';
import type { ColumnChunk, ColumnMetaData } from './footer.ts';
import { formatPath, type SchemaNode } from './parquet-schema.ts';

/** The magic at the head of the file. */
const dataStart = 4;
const nowhere = new Uint8Array();

/** A trillion. Counts that are no counts would add up to more than a table's longs hold: its row IDs, its totals (case C23). */
export const MOST_VALUES = 2 ** 40;

/**
 * The metadata of a chunk, and the offset in the file at which the chunk starts.
 *
 * @param dataEnd Where the footer begins.
 * @throws `segment.unreadable` for an encrypted chunk; `segment.inconsistent` for a chunk of another column, type,
 * file or size
 */
export function checkedChunk(
  chunk: ColumnChunk | undefined,
  leaf: SchemaNode,
  numRows: number,
  dataEnd: number,
): { readonly metaData: ColumnMetaData; readonly start: number } {
  const refuse = (what: string, code: ErrorCode = 'segment.inconsistent'): RegistrarError =>
    new RegistrarError(code, `Cannot use a chunk of column ${formatPath(leaf.path)}: ${what}`);

  if (chunk?.cryptoMetaData || chunk?.encryptedMetaData) {
    throw refuse('it is encrypted; write the dataset without encryption', 'segment.unreadable');
  }
  const metaData = chunk?.metaData;
  if (metaData === undefined) throw refuse('it has no metadata');
  if (chunk?.filePath?.length) throw refuse('it lies in another file');
  if (metaData.type !== leaf.element.type) {
    throw refuse(`the column has physical type ${leaf.element.type} and the chunk ${metaData.type}`);
  }
  const isSamePath =
    metaData.path.length === leaf.utf8Path.length &&
    leaf.utf8Path.every((name, i) => Buffer.compare(name, metaData.path[i] ?? nowhere) === 0);
  if (!isSamePath)
    throw refuse(
      `in its place is a chunk of ${formatPath(metaData.path.map((name) => Buffer.from(name).toString()))}`,
    );

  const { numValues, totalCompressedSize, dataPageOffset, dictionaryPageOffset = 0 } = metaData;
  if (numValues < numRows || (numValues > numRows && !leaf.isRepeated)) {
    throw refuse(`it has ${numValues} values for ${numRows} rows`);
  }
  if (numValues > MOST_VALUES) throw refuse(`it has ${numValues} values, more than any file holds`);
  // Some writers write 0 if there is no dictionary page.
  const hasDictionary = dictionaryPageOffset > 0 && dictionaryPageOffset < dataPageOffset;
  const start = hasDictionary ? dictionaryPageOffset : dataPageOffset;
  const end = start + totalCompressedSize;
  const isOutside = numRows > 0 && (start < dataStart || end > dataEnd);
  if (totalCompressedSize < 0 || totalCompressedSize > dataEnd || isOutside) {
    throw refuse(`its bytes ${start} to ${end} are not in the data of the file, ${dataStart} to ${dataEnd}`);
  }
  return { metaData, start };
}
