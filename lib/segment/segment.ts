/** A complete Parquet object as the later stages see it: its schema, counts and bounds, but none of its rows. */

import { RegistrarError } from '../errors.ts';
import type { SegmentReference } from '../event/segment-reference.ts';
import { indexById, type NestedField, type Schema, type Type } from '../spec/schema.ts';
import { decodeFooter } from './footer.ts';
import { type IcebergSchemaOptions, icebergSchema } from './iceberg-schema.ts';
import { deleteTypeOf } from './iceberg-writer.ts';
import { schemaTree } from './parquet-schema.ts';
import type { FooterRead } from './read-footer.ts';
import { type Column, mergeRowGroups } from './row-groups.ts';

export type SegmentOptions = IcebergSchemaOptions;

export interface Segment {
  readonly reference: SegmentReference;
  readonly uri: string;
  /** The version of the object whose footer was read. */
  readonly etag: string;
  readonly sizeBytes: number;
  readonly lastModifiedMs: number;
  /** Has the file's own field IDs, or else provisional ones: see `idsFrom`. */
  readonly schema: Schema;
  readonly idsFrom: 'file' | 'names';
  readonly recordCount: bigint;
  readonly rowGroupCount: number;
  readonly columns: readonly Column[];
  /** Where each row group with rows starts, ascending. */
  readonly splitOffsets: readonly bigint[];
  /** `CompressionCodec` of parquet.thrift, by number. */
  readonly codecs: ReadonlySet<number>;
  /**
   * IDs of fields that are never null where their parent is present: required, or without a null in any row group (case A30).
   */
  readonly provenNonNull: ReadonlySet<number>;
  readonly createdBy: string | undefined;
}

/**
 * Makes a segment from a footer. The segment keeps none of the footer's bytes.
 *
 * @returns `'empty'` for a file without rows, which is never registered (case A26)
 * @throws `segment.unreadable`, `segment.inconsistent`, `sink.iceberg_unsupported_type`, `sink.iceberg_schema_mismatch`
 */
export function segmentOf(
  reference: SegmentReference,
  read: FooterRead,
  options: SegmentOptions,
): Segment | 'empty' {
  const deleteType = deleteTypeOf(read);
  if (deleteType !== undefined) {
    throw new RegistrarError(
      'segment.unreadable',
      `Cannot register "${read.uri}" as data: it is a file of ${deleteType} deletes, which Iceberg's engines commit themselves; keep their files out of the shipper's directory`,
    );
  }
  const footer = decodeFooter(read.bytes);
  if (footer.numRows === 0 && footer.rowGroups().every(({ numRows }) => numRows === 0)) return 'empty';

  const { root, leaves } = schemaTree(footer.schema);
  const { schema, idsFrom, columns: leafColumns } = icebergSchema(root, options);
  const dataEnd = read.sizeBytes - read.bytes.length - 8;
  const { rowGroupCount, recordCount, columns, splitOffsets, codecs } = mergeRowGroups(
    footer,
    leaves,
    leafColumns,
    dataEnd,
  );
  return {
    reference,
    uri: read.uri,
    etag: read.etag,
    sizeBytes: read.sizeBytes,
    lastModifiedMs: read.lastModifiedMs,
    schema,
    idsFrom,
    recordCount,
    rowGroupCount,
    columns,
    splitOffsets,
    codecs,
    provenNonNull: provenNonNull(schema, columns),
    createdBy: footer.createdBy,
  };
}

/** Null counts below lists and maps prove nothing: Arrow's writer does not count rows whose list is null (apache/arrow#51097). */
function provenNonNull(schema: Schema, columns: readonly Column[]): ReadonlySet<number> {
  const proven = new Set<number>();
  for (const { id, required } of indexById(schema).values()) if (required) proven.add(id);
  for (const { nullCount, isRepeated, lineage } of columns) {
    if (nullCount === 0n && !isRepeated) for (const id of lineage) proven.add(id);
  }
  return proven;
}

/**
 * The segment with other field IDs. A field without a new ID is left out, as readers leave out what a name mapping does not
 * name; so is everything inside it, and any list or map that lacks one of its parts.
 *
 * @param ids The new IDs by the segment's own.
 */
export function withFieldIds(segment: Segment, ids: ReadonlyMap<number, number>): Segment {
  const fields = segment.schema.fields.flatMap((field) => relabelField(field, ids));
  const kept = indexById({ type: 'struct', fields });
  const relabel = (id: number): number => ids.get(id) ?? -1;
  const columns = segment.columns.map((column) => ({
    ...column,
    fieldId: relabel(column.fieldId),
    lineage: column.lineage.map(relabel),
  }));
  return {
    ...segment,
    schema: { ...segment.schema, fields },
    columns: columns.filter(({ fieldId }) => kept.has(fieldId)),
    provenNonNull: new Set([...segment.provenNonNull].map(relabel).filter((id) => kept.has(id))),
  };
}

function relabelField(field: NestedField, ids: ReadonlyMap<number, number>): readonly NestedField[] {
  const id = ids.get(field.id);
  const type = relabelType(field.type, ids);
  return id === undefined || type === undefined ? [] : [{ ...field, id, type }];
}

function relabelType(type: Type, ids: ReadonlyMap<number, number>): Type | undefined {
  if (typeof type === 'string') return type;
  switch (type.type) {
    case 'struct': {
      const fields = type.fields.flatMap((field) => relabelField(field, ids));
      return fields.length === 0 ? undefined : { ...type, fields };
    }
    case 'list': {
      const id = ids.get(type['element-id']);
      const element = relabelType(type.element, ids);
      return id === undefined || element === undefined ? undefined : { ...type, 'element-id': id, element };
    }
    case 'map': {
      const [keyId, valueId] = [ids.get(type['key-id']), ids.get(type['value-id'])];
      const [key, value] = [relabelType(type.key, ids), relabelType(type.value, ids)];
      if (keyId === undefined || valueId === undefined || key === undefined || value === undefined)
        return undefined;
      return { ...type, 'key-id': keyId, key, 'value-id': valueId, value };
    }
  }
}
