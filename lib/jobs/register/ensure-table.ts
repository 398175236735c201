import { partitionTuple } from '../../append/partition-tuple.ts';
import { resolvePartitionFields } from '../../append/transform.ts';
import { RegistrarError } from '../../errors.ts';
import { columnsOf } from '../../schema/columns.ts';
import { isHalfMade } from '../../schema/half-made-table.ts';
import { partitionSpec } from '../../schema/partition-by.ts';
import { inUploadOrder } from '../../schema/upload-order.ts';
import { columnRanges } from '../../segment/column-range.ts';
import type { Segment } from '../../segment/segment.ts';
import { readTableMetadata } from '../../spec/table-metadata.ts';
import type { TableState } from '../../spec/table-state.ts';
import { missingTable } from '../load-state.ts';
import { type CreateTableSettings, createTable } from './create-table.ts';
import { ofSegment, readSegment } from './decoded-segment.ts';
import type { FootersRead } from './read-footers.ts';
import type { TablePorts, TableTarget } from './register-ports.ts';

/**
 * The table of a batch that found none, or a half-made one: made from the first of its segments that a table can be made from.
 * Where there is none, the footers come back with every segment condemned or ignored.
 *
 * @throws `table.missing` when the registrar may not create tables, and what `createTable` throws
 */
export async function ensureTable(
  target: TableTarget,
  footers: FootersRead,
  known: TableState | undefined,
  ports: TablePorts,
): Promise<TableState | FootersRead> {
  const settings: CreateTableSettings = { ...target.entry, location: target.location };
  if (known !== undefined && !(target.entry.create_table && isHalfMade(known, settings.location)))
    return known;
  if (!target.entry.create_table) throw missingTable(target);

  const ignored = new Map(footers.ignored);
  const condemned = new Map(footers.condemned);
  const segments: Segment[] = [];
  for (const shipped of footers.segments) {
    const segment = readSegment(shipped, { formatVersion: settings.format_version }, target.entry);
    if (segment === 'empty') ignored.set(shipped.uri, 'empty');
    else if (segment instanceof RegistrarError) condemned.set(shipped.uri, segment);
    else segments.push(segment);
  }
  for (const segment of inUploadOrder(segments)) {
    try {
      if (known === undefined) requirePartition(segment, settings);
      return readTableMetadata(target.table, await createTable(ports, settings, target.table, segment));
    } catch (error) {
      condemned.set(segment.uri, ofSegment(error));
    }
  }
  return { ...footers, segments: [], ignored, condemned };
}

/**
 * What is refused must not define a table: the first segment's partition is determined before there is one.
 *
 * @throws `sink.iceberg_partition_undetermined`
 */
function requirePartition(segment: Segment, { partition_by }: CreateTableSettings): void {
  const { uri, reference, schema } = segment;
  const fields = resolvePartitionFields(partitionSpec(partition_by, columnsOf(schema)), schema);
  partitionTuple({ uri, key: reference.key, fields, columns: columnRanges(segment, schema) });
}
