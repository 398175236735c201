import { RegistrarError } from '../errors.ts';
import { FIRST_PARTITION_FIELD_ID, type PartitionSpec } from '../spec/partition-spec.ts';
import { parsePrimitive } from '../spec/primitive-type.ts';
import { type Column, type Columns, fullName, withAncestors } from './columns.ts';

/** One item of `partition_by`: `region`, `day(ts)`, `bucket[16](id)`, `truncate[4](name)`. */
export interface PartitionTerm {
  readonly text: string;
  /** As the table spec writes it: `identity`, `bucket[16]`, … */
  readonly transform: string;
  /** The full name of the source column. */
  readonly column: string;
}

const dates = ['date'];
const timestamps = ['timestamp', 'timestamptz', 'timestamp_ns', 'timestamptz_ns'];
const wholes = ['int', 'long', 'decimal'];
const others = ['time', 'string', 'uuid', 'binary'];

/**
 * The source types of each transform and the suffix of its partition field's name (table spec, "Partition Transforms"; names as
 * in Java).
 */
const transforms: Readonly<Record<string, { readonly suffix: string; readonly sources: readonly string[] }>> =
  {
    // Not fixed, whose partition values readers spell differently (`transform.ts`), nor a type without bounds.
    identity: {
      suffix: '',
      sources: [...wholes, ...dates, ...timestamps, ...others, 'boolean', 'float', 'double'],
    },
    year: { suffix: '_year', sources: [...dates, ...timestamps] },
    month: { suffix: '_month', sources: [...dates, ...timestamps] },
    day: { suffix: '_day', sources: [...dates, ...timestamps] },
    hour: { suffix: '_hour', sources: timestamps },
    truncate: { suffix: '_trunc', sources: [...wholes, 'string', 'binary'] },
    bucket: {
      suffix: '_bucket',
      sources: [...wholes, ...dates, ...timestamps, ...others, 'fixed'],
    },
  };

/** Parses one item of `partition_by`. @throws `config.invalid` listing the valid forms */
export function parsePartitionBy(text: string): PartitionTerm {
  const [, name = 'identity', width = '', column = text] = /^(\w+)(\[.*?\])?\((.*)\)$/.exec(text) ?? [];
  const takesWidth = name === 'bucket' || name === 'truncate';
  if (
    column === '' ||
    !Object.hasOwn(transforms, name) ||
    !(takesWidth ? /^\[[1-9]\d*\]$/ : /^$/).test(width)
  ) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot partition by "${text}": write a column, year(c), month(c), day(c), hour(c), bucket[16](c) or truncate[4](c)`,
    );
  }
  return { text, transform: `${name}${width}`, column };
}

/**
 * The partition spec of a new table.
 *
 * @param fieldId the ID of its first field
 * @throws `sink.iceberg_partition_undetermined` for a source column that the segment lacks or that the transform does not take
 */
export function partitionSpec(
  partitionBy: readonly string[],
  columns: Columns,
  fieldId = FIRST_PARTITION_FIELD_ID,
): PartitionSpec {
  const terms = partitionBy.map(parsePartitionBy);
  return {
    'spec-id': 0,
    fields: terms.map((term, index) => ({
      'source-id': sourceOf(term, columns).id,
      'field-id': fieldId + index,
      name: `${term.column}${kindOf(term)?.suffix ?? ''}`,
      transform: term.transform,
    })),
  };
}

function kindOf({ transform }: PartitionTerm): (typeof transforms)[string] | undefined {
  return transforms[transform.replace(/\[.*/, '')];
}

function sourceOf(term: PartitionTerm, columns: Columns): Column {
  const column = columns.values().find((candidate) => fullName(columns, candidate) === term.column);
  const problem =
    column === undefined
      ? 'it has no such column'
      : withAncestors(columns, column).some(({ role }) => role !== 'field')
        ? 'the column is in a list or map'
        : column.nested !== undefined
          ? `the column is a ${column.type}`
          : kindOf(term)?.sources.includes(parsePrimitive(column.type).name)
            ? undefined
            : `the column is ${column.type}`;
  if (column !== undefined && problem === undefined) return column;
  throw new RegistrarError(
    'sink.iceberg_partition_undetermined',
    `Cannot partition a new table by "${term.text}" with this segment's schema: ${problem}; correct partition_by or the dataset`,
  );
}
