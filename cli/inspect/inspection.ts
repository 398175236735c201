/** An inspection as JSON, for programs, and as text, for people. */

import { styleText } from 'node:util';
import { counted } from '../../lib/counted.ts';
import type { Inspection } from '../../lib/jobs/inspect.ts';
import { readerWarning } from '../../lib/segment/reader-warning.ts';
import type { Segment } from '../../lib/segment/segment.ts';
import type { Metrics } from '../../lib/spec/manifest.ts';
import { indexById, type Type } from '../../lib/spec/schema.ts';
import { printable, printableLines } from '../printable.ts';
import { readableValue } from '../readable-value.ts';
import { type Column, wrappedTable } from '../wrapped-table.ts';

/** Maps from field ID as text, bounds in lower-case hex; `{refuse, message}` or `{skip: 'empty'}` for what is not registered. */
export function inspectionJson(inspection: Inspection, formatVersion: number): unknown {
  switch (inspection.kind) {
    case 'empty':
      return { skip: 'empty' };
    case 'refused':
      return { refuse: inspection.error.code, message: inspection.error.message };
    case 'registrable': {
      const { segment, metrics } = inspection;
      const hex = (bounds: ReadonlyMap<number, Uint8Array>): unknown =>
        Object.fromEntries(bounds.entries().map(([id, bytes]) => [id, Buffer.from(bytes).toString('hex')]));
      return {
        schema: segment.schema,
        formatVersion,
        recordCount: metrics.recordCount,
        fileSizeInBytes: segment.sizeBytes,
        valueCounts: Object.fromEntries(metrics.valueCounts),
        nullValueCounts: Object.fromEntries(metrics.nullValueCounts),
        lowerBounds: hex(metrics.lowerBounds),
        upperBounds: hex(metrics.upperBounds),
        columnSizes: Object.fromEntries(metrics.columnSizes),
        splitOffsets: metrics.splitOffsets,
      };
    }
  }
}

/** A warning about registered columns that not every engine reads correctly. */
export function inspectionWarning(inspection: Inspection): string | undefined {
  return inspection.kind === 'registrable' ? readerWarning([inspection.segment]) : undefined;
}

export function inspectionText(name: string, inspection: Inspection): string {
  const file = printable(name);
  switch (inspection.kind) {
    case 'empty':
      return `${styleText('yellow', 'skipped')}  ${file} has no rows: it would be acknowledged without being registered`;
    case 'refused':
      return `${styleText('red', 'refused')}  ${file}\n${styleText('bold', inspection.error.code)}: ${printableLines(inspection.error.message)}`;
    case 'registrable':
      return `${styleText('green', 'registrable')}  ${file}\n${summary(inspection.segment)}\n${columnTable(inspection.segment, inspection.metrics)}`;
  }
}

function summary({ recordCount, rowGroupCount, sizeBytes, idsFrom, createdBy }: Segment): string {
  const ids = idsFrom === 'file' ? 'field IDs of the file' : 'no field IDs in the file: resolved by name';
  return [
    `${counted(recordCount, 'row')} in ${counted(rowGroupCount, 'row group')}`,
    `${sizeBytes.toLocaleString('en')} bytes`,
    ids,
    `written by ${printable(createdBy?.slice(0, 200) ?? 'an unnamed writer')}`,
  ].join(' · ');
}

function columnTable({ schema }: Segment, metrics: Metrics): string {
  const rows = indexById(schema)
    .entries()
    .map(([id, { path, required, type }]) => {
      const bound = (bytes: Uint8Array | undefined): string =>
        bytes && typeof type === 'string' ? printable(readableValue(type, bytes)) : '';
      return [
        String(id),
        printable(path.join('.')),
        `${typeName(type)}${required ? ' required' : ''}`,
        String(metrics.valueCounts.get(id) ?? ''),
        String(metrics.nullValueCounts.get(id) ?? ''),
        String(metrics.columnSizes.get(id) ?? ''),
        bound(metrics.lowerBounds.get(id)),
        bound(metrics.upperBounds.get(id)),
      ];
    });
  return wrappedTable(COLUMNS, [...rows], { compact: true, narrowest: 8 });
}

const right = (head: string): Column => ({ head, align: 'right' });

const COLUMNS: readonly Column[] = [
  right('id'),
  { head: 'column' },
  { head: 'type' },
  ...['values', 'nulls', 'bytes'].map(right),
  { head: 'lower' },
  { head: 'upper' },
];

const typeName = (type: Type): string => (typeof type === 'string' ? type : type.type);
