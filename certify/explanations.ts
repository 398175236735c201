import type { Cell } from './cell.ts';
import type { EngineName } from './engines/engine.ts';

/** Why some cells of an engine are not green, with a link to the cause in that engine's source or issues. */
export interface Explanation {
  /** The anchor of its heading in docs/compatibility.md. */
  readonly anchor: string;
  readonly title: string;
  readonly engines: readonly EngineName[];
  /** Every difference of the cell must match it. */
  readonly differences: RegExp;
  /** The features to which it applies. @default all */
  readonly features?: RegExp;
  /** Markdown. */
  readonly text: string;
  readonly sources: readonly string[];
}

export const explanations: readonly Explanation[] = [
  {
    anchor: 'clickhouse-nested-nulls',
    title: 'ClickHouse shows null lists, maps and structs as empty ones',
    engines: ['ClickHouse'],
    differences: /^nested null as empty: /,
    text: 'Its types know no null array, map or (by default) tuple: what is null in the file is an empty array or map, or a tuple of nulls. Everything else of these columns is equal.',
    sources: [
      'https://github.com/ClickHouse/ClickHouse/issues/52562',
      'https://github.com/ClickHouse/ClickHouse/issues/105192',
    ],
  },
  {
    anchor: 'clickhouse-dropped-column',
    title: 'ClickHouse refuses files that still carry a column that was dropped before they were written',
    engines: ['ClickHouse'],
    differences: /field_id \d+ that is not in datalake metadata/,
    text: 'The specification has readers pass over field IDs that the schema does not have. ClickHouse looks up every column of a file in the schema that was current when its snapshot was made, and throws where one is missing (`SchemaConverter.cpp`). A shipper that goes on writing a column after `ALTER TABLE … DROP COLUMN` is met by this: stop writing the column before it is dropped.',
    sources: [
      'https://github.com/ClickHouse/ClickHouse/blob/master/src/Processors/Formats/Impl/Parquet/SchemaConverter.cpp',
      'https://iceberg.apache.org/spec/#column-projection',
    ],
  },
  {
    anchor: 'clickhouse-dates',
    title: 'ClickHouse has no dates before 1900 and after 2299',
    engines: ['ClickHouse'],
    differences: /out of allowed Date32 range/,
    text: '`Date32`, the widest it has, holds 1900-01-01 to 2299-12-31; a file with another date is refused, whichever column is asked for.',
    sources: ['https://clickhouse.com/docs/sql-reference/data-types/date32'],
  },
  {
    anchor: 'clickhouse-time',
    title: 'ClickHouse reads `time` as a number of seconds',
    engines: ['ClickHouse'],
    features: /time/,
    differences: /^(a_time: "\d+\.000000" for |(=|<|>=|in) .*: rows .* for |error: in: .*TYPE_MISMATCH)/,
    text: 'A time of day comes out as whole seconds in an `Int64`, and predicates compare with that. Its Iceberg readers know no other type for it yet.',
    sources: [
      'https://github.com/ClickHouse/ClickHouse/issues/88063',
      'https://github.com/ClickHouse/ClickHouse/issues/118807',
    ],
  },
  {
    anchor: 'clickhouse-equality-deletes',
    title: 'ClickHouse counts rows that equality deletes removed',
    engines: ['ClickHouse'],
    features: /^equality deletes$/,
    differences: /^COUNT\(\*\) answers \d+ for \d+$/,
    text: 'A bare `count()` is answered from the data files’ record counts less the position deletes; equality deletes are left out. The rows themselves are right. `SET optimize_trivial_count_query = 0` counts rows.',
    sources: [
      'https://github.com/ClickHouse/ClickHouse/issues/112347',
      'https://github.com/ClickHouse/ClickHouse/pull/111617',
    ],
  },
  {
    anchor: 'clickhouse-partitions-before-1970',
    title: 'ClickHouse prunes partitions of years, months, days and hours before 1970',
    engines: ['ClickHouse'],
    features: /^(year|month|day|hour) of /,
    differences: /^(=|<|>=|in): row \d+ is missing$/,
    text: 'It computes these transforms of a query’s bounds with functions that have no negative results, so that partitions before 1970 match nothing. `SET use_iceberg_partition_pruning = 0` reads them.',
    sources: ['https://github.com/ClickHouse/ClickHouse/issues/119579'],
  },
  {
    anchor: 'clickhouse-uuid',
    title: 'ClickHouse prunes UUIDs in an order of its own',
    engines: ['ClickHouse'],
    features: /uuid/,
    differences: /: (rows .* for |row \d+ is missing)/,
    text: 'It takes the bytes of a bound for its own layout of a UUID, and orders UUIDs by their second half. Rows are missed by predicates on UUID columns.',
    sources: ['https://github.com/ClickHouse/ClickHouse/issues/118366'],
  },
  {
    anchor: 'duckdb-timestamptz-ns',
    title: 'DuckDB 1.5 refuses tables with `timestamptz_ns`',
    engines: ['DuckDB'],
    differences: /Unrecognized primitive type: timestamptz_ns/,
    text: 'A later version of its extension reads them.',
    sources: [
      'https://github.com/duckdb/duckdb-iceberg/issues/1019',
      'https://github.com/duckdb/duckdb-iceberg/pull/1151',
    ],
  },
  {
    anchor: 'duckdb-partitions-before-1970',
    title: 'DuckDB 1.5 prunes months and days before 1970',
    engines: ['DuckDB'],
    features: /^(month|day) of timestamp/,
    differences: /^(=|<|>=|in): row \d+ is missing$/,
    text: 'It rounded towards 1970 where the specification rounds down, so that timestamps before 1970 are looked for one partition too late. Corrected after the version that was tested.',
    sources: ['https://github.com/duckdb/duckdb-iceberg/pull/1361'],
  },
  {
    anchor: 'duckdb-bucketed-uuid',
    title: 'DuckDB 1.5 prunes UUIDs by another hash',
    engines: ['DuckDB'],
    features: /^bucket\[\d+\] of uuid$/,
    differences: /^(=|in): row \d+ is missing$/,
    text: 'Its `bucket` of a UUID hashes its own layout of it instead of the sixteen bytes that the specification hashes (Appendix B), and so skips files that hold the rows. Our buckets are those of Iceberg for Java.',
    sources: ['https://github.com/duckdb/duckdb-iceberg/issues/1325'],
  },
  {
    anchor: 'duckdb-truncated-decimal',
    title: 'DuckDB 1.5 fails on predicates where a decimal is partitioned by `truncate`',
    engines: ['DuckDB'],
    features: /^truncate\[\d+\] of decimal/,
    differences: /error: .*(internal_errors|INTERNAL|Internal)/,
    text: 'The change that made `truncate` prune says itself that partitions by truncated decimals cannot be read yet.',
    sources: ['https://github.com/duckdb/duckdb-iceberg/pull/766#issuecomment-4012347455'],
  },
  {
    anchor: 'pyiceberg-partitioned-uuid',
    title: 'PyIceberg finds nothing where a UUID is a partition',
    engines: ['PyIceberg', 'Polars', 'Daft'],
    features: /^identity of uuid$/,
    differences: /^(=|<|>=|in): (row \d+ is missing|error: )/,
    text: 'It reads the partition’s value as a `UUID` (`avro/reader.py`) and compares it with the bytes that its literals are (`expressions/literals.py`): the two are never equal. Engines that let it plan miss the same rows.',
    sources: ['https://github.com/apache/iceberg/issues/8248'],
  },
  {
    anchor: 'pyiceberg-equality-deletes',
    title: 'PyIceberg refuses tables with equality deletes',
    engines: ['PyIceberg', 'Polars', 'Daft'],
    features: /^equality deletes$/,
    differences: /equality deletes/i,
    text: 'It says so instead of showing deleted rows; engines that let it plan, too.',
    sources: ['https://github.com/apache/iceberg/issues/6568'],
  },
  {
    anchor: 'pyiceberg-nanoseconds',
    title: 'PyIceberg has no literals for nanosecond timestamps',
    engines: ['PyIceberg', 'Daft'],
    features: /timestamp(tz)?_ns/,
    differences: /Cannot convert \w+Literal into timestamp(tz)?_ns/,
    text: 'Values are read to the nanosecond; predicates on such columns are refused, since none of its literals converts to the type (`expressions/literals.py`).',
    sources: ['https://github.com/apache/iceberg-python/blob/main/pyiceberg/expressions/literals.py'],
  },
  {
    anchor: 'arrow-optional-keys',
    title: 'Arrow refuses maps whose keys are optional',
    engines: ['PyIceberg', 'Polars', 'Daft', 'iceberg-rust'],
    features: /^map with optional keys$/,
    differences: /Map keys must be annotated as required|Optional instead of required/,
    text: 'Parquet demands required keys; Flink, Hive and Athena have written optional ones. Engines that read through Arrow refuse such files, the others show every entry.',
    sources: [
      'https://github.com/apache/arrow/issues/37389',
      'https://github.com/apache/arrow-rs/issues/5606',
    ],
  },
  {
    anchor: 'polars-shared-position-deletes',
    title: 'Polars refuses position deletes that are about more than one data file',
    engines: ['Polars'],
    differences: /position delete file not limited to one data file/,
    text: 'Its native reader takes delete files with the rows of one data file each. DuckDB writes one for all; compaction ends it.',
    sources: ['https://github.com/pola-rs/polars/blob/main/py-polars/src/polars/io/iceberg/dataset.py'],
  },
  {
    anchor: 'spark-time',
    title: 'Spark has no `time` columns',
    engines: ['Spark'],
    differences: /Spark does not support time fields/,
    text: 'Iceberg’s Spark runtime refuses a table that has one (`TypeToSparkType.java`).',
    sources: [
      'https://github.com/apache/iceberg/blob/main/spark/v4.1/spark/src/main/java/org/apache/iceberg/spark/TypeToSparkType.java',
    ],
  },
  {
    anchor: 'spark-nanoseconds',
    title: 'Spark has no nanosecond timestamps',
    engines: ['Spark'],
    differences: /Cannot convert un\w+ type to Spark: timestamp(tz)?_ns/,
    text: 'Iceberg’s Spark runtime refuses a table that has one.',
    sources: ['https://github.com/apache/iceberg/issues/13681'],
  },
  {
    anchor: 'java-uuid-order',
    title: 'Iceberg for Java orders UUIDs as signed numbers',
    engines: ['Spark'],
    features: /uuid/,
    differences:
      /^(=|<|>=|in)( .*)?: (rows .* for |\d+ files are planned|row \d+ (is missing|was not shipped))/,
    text: 'The specification’s order, and Parquet’s, is that of unsigned bytes; `java.util.UUID` compares two signed longs. Range predicates on UUIDs miss rows with bounds and without, since row groups are skipped by the same comparison; equality is right where both bounds begin with the same bit.',
    sources: [
      'https://github.com/apache/iceberg/issues/14216',
      'https://github.com/apache/iceberg/pull/14500',
    ],
  },
  {
    anchor: 'trino-nanoseconds',
    title: 'Trino 476 refuses tables with nanosecond timestamps',
    engines: ['Trino'],
    differences: /TIMESTAMP_NANO/,
    text: 'A later version reads them.',
    sources: ['https://github.com/trinodb/trino/issues/19753', 'https://github.com/trinodb/trino/pull/27835'],
  },
  {
    anchor: 'iceberg-rust-nested-evolution',
    title: 'iceberg-rust matches the fields of structs by position',
    engines: ['iceberg-rust'],
    differences: /StructArray|Casting from|unexpected target column type|Cast error/,
    text: 'It finds top-level columns by field ID and casts what is inside of them by position, so that a struct that has changed in lists, maps or alone cannot be read from older files, or the other way round.',
    sources: [
      'https://github.com/apache/iceberg-rust/issues/2617',
      'https://github.com/apache/iceberg-rust/pull/3255',
      'https://github.com/apache/iceberg-rust/pull/2635',
    ],
  },
  {
    anchor: 'iceberg-rust-nested-names',
    title: 'iceberg-rust shows nested columns of files without field IDs as null',
    engines: ['iceberg-rust'],
    features: /no field IDs/,
    differences: /^\w+: null for /,
    text: 'It applies `schema.name-mapping.default` to top-level columns; what is inside of them has no ID then, and is read as null, silently. Ship field IDs where it reads.',
    sources: ['https://github.com/apache/iceberg-rust/issues/2617'],
  },
  {
    anchor: 'daft-without-ids',
    title: 'Daft refuses files without field IDs',
    engines: ['Daft'],
    features: /no field IDs/,
    differences: /carries no parquet field IDs/,
    text: 'It knows no name mapping, and says so since it no longer shows nulls instead.',
    sources: [
      'https://github.com/Eventual-Inc/Daft/issues/7445',
      'https://github.com/Eventual-Inc/Daft/pull/7446',
    ],
  },
  {
    anchor: 'pyiceberg-inspect-uuid',
    title: 'PyIceberg’s inspect fails on tables with a uuid column',
    engines: ['PyIceberg'],
    features: /metadata tables$/,
    differences: /error: pyarrow\.lib\.ArrowNotImplementedError: extension$/,
    text: '`inspect.files` and `inspect.entries` build `readable_metrics` in the types of the columns, and PyArrow makes no values of its uuid extension type from Python. Scans are not concerned.',
    sources: ['https://github.com/apache/iceberg-python/blob/main/pyiceberg/table/inspect.py'],
  },
  {
    anchor: 'spark-files-uuid',
    title: 'Spark’s metadata tables fail on `readable_metrics` of a uuid column',
    engines: ['Spark'],
    features: /metadata tables$/,
    differences: /ClassCastException: Cannot cast java\.util\.UUID to java\.lang\.CharSequence$/,
    text: 'A uuid is a string to Spark, and `StructInternalRow.getUTF8StringInternal` asks for a `CharSequence` where the bounds in `readable_metrics` are `java.util.UUID`. Leave that column out: `SELECT file_path, record_count FROM t.files`. Scans are not concerned.',
    sources: [
      'https://github.com/apache/iceberg/blob/main/spark/v4.0/spark/src/main/java/org/apache/iceberg/spark/source/StructInternalRow.java',
    ],
  },
  {
    anchor: 'daft-uuid',
    title: 'Daft has no UUIDs where it must make a column up, or compare one',
    engines: ['Daft'],
    features: /uuid|every kind/,
    differences:
      /uuid|Extension\(|Attempting to downcast Null|Python Comparison|no answer within|: rows none for /i,
    text: 'It reads UUIDs as an Arrow extension type that few of its operations know: a task panics where the column is absent from a file, or in a predicate.',
    sources: ['https://github.com/Eventual-Inc/Daft/issues/3978'],
  },
  {
    anchor: 'daft-types-in-maps',
    title: 'Daft takes dates in maps for integers',
    engines: ['Daft'],
    differences: /Incorrect datatype for StructArray field "value", expected \w+ got \w+/,
    text: 'Inside of a map the values keep their physical type, and the cast to the table’s type fails. It was corrected for columns of their own.',
    sources: [
      'https://github.com/Eventual-Inc/Daft/pull/6291',
      'https://github.com/Eventual-Inc/Daft/issues/7092',
    ],
  },
  {
    anchor: 'clickhouse-partitioned-uuid',
    title: 'ClickHouse cannot compare UUIDs that are partitions',
    engines: ['ClickHouse'],
    features: /^identity of uuid$/,
    differences: /Cannot compare|Bad get: has String, requested UUID/,
    text: 'It reads the partition’s sixteen bytes as text, and fails where a predicate compares them with a UUID. Without a predicate every row is right.',
    sources: [
      'https://github.com/ClickHouse/ClickHouse/pull/109286',
      'https://github.com/ClickHouse/ClickHouse/issues/118366',
    ],
  },
  {
    anchor: 'iceberg-rust-partitioned-uuid',
    title: 'iceberg-rust cannot read manifests whose partition is a UUID',
    engines: ['iceberg-rust'],
    features: /^identity of uuid$/,
    differences: /Invalid utf-8 string/,
    text: 'The specification writes a UUID as sixteen bytes (Appendix A, `fixed(16)`); its Avro library takes every UUID for text.',
    sources: [
      'https://github.com/apache/iceberg-rust/issues/2913',
      'https://github.com/apache/iceberg-rust/pull/2916',
    ],
  },
  {
    anchor: 'iceberg-rust-upgraded',
    title: 'iceberg-rust 0.11 refuses tables that were upgraded to version 3',
    engines: ['iceberg-rust'],
    features: /upgraded/,
    differences: /TableMetadataEnum/,
    text: 'Snapshots from before the upgrade have no `first-row-id` and those of version 1 no sequence number, as the specification wants; it requires them.',
    sources: [
      'https://github.com/apache/iceberg-rust/issues/2009',
      'https://github.com/apache/iceberg-rust/pull/2127',
    ],
  },
  {
    anchor: 'trino-null-partitions',
    title: 'Trino shows the rows of a null partition for `<`',
    engines: ['Trino'],
    features: /^(identity|day) of /,
    differences: /^<: row \d+ was not shipped$/,
    text: 'Where a predicate is decided by a partition alone, it relies on Iceberg’s evaluator for Java, whose comparator puts null before every value: null is less than all of them. Add `AND column IS NOT NULL`.',
    sources: [
      'https://github.com/apache/iceberg/blob/main/api/src/main/java/org/apache/iceberg/expressions/Evaluator.java',
      'https://github.com/apache/iceberg-python/issues/3498',
    ],
  },
  {
    anchor: 'deletion-vectors',
    title: 'Deletion vectors are new: ClickHouse 26.7, Trino 476 and Daft do not read them',
    engines: ['ClickHouse', 'Trino', 'Daft'],
    features: /^deletion vectors/,
    differences: /only for parquet format|PUFFIN|\.puffin|COUNT\(\*\) answers/i,
    text: 'Later versions of ClickHouse and Trino read them. In a table of version 3 with such deletes, `count()` of ClickHouse shows the deleted rows too.',
    sources: [
      'https://github.com/ClickHouse/ClickHouse/pull/110781',
      'https://github.com/trinodb/trino/pull/27788',
    ],
  },
  {
    anchor: 'unsigned',
    title: 'Unsigned 32-bit integers are refused by Spark and misread by Trino and Flink',
    engines: ['Spark', 'Trino', 'Flink'],
    features: /^UINT_32/,
    differences: /Cannot read UINT32|^v: "-\d+" for /,
    text: 'Iceberg has no unsigned integers; the registrar gives a `UINT_32` the type `long`, which holds every value. Spark’s vectorized reader refuses such a column whatever its values (`SET spark.sql.iceberg.vectorization.enabled = false` reads those below 2³¹), Trino and Flink take values from 2³¹ on for negative ones, silently. Ship signed 64-bit integers where these engines read.',
    sources: [
      'https://github.com/apache/iceberg/issues/14547',
      'https://github.com/apache/iceberg/pull/16617',
    ],
  },
  {
    anchor: 'milliseconds',
    title: 'Millisecond timestamps are refused by Trino and iceberg-rust',
    engines: ['Trino', 'iceberg-rust'],
    features: /^TIMESTAMP_MILLIS/,
    differences: /MILLIS|Timestamp\(ms/,
    text: 'The specification wants microseconds. The registrar refuses them unless `timestamp_millis: accept` is set, and this is why.',
    sources: ['https://iceberg.apache.org/spec/#parquet', 'https://github.com/trinodb/trino/issues/17733'],
  },
  {
    anchor: 'bson-and-enum',
    title: 'Text and bytes with rare annotations',
    engines: ['DuckDB', 'Polars', 'iceberg-rust'],
    features: /^(BSON|JSON|ENUM)$/,
    differences: /Unsupported converted type|data type mismatch for column v|^v: null for /,
    text: 'Iceberg reads ENUM and JSON as `string` and BSON as `binary`. DuckDB refuses a file with BSON, Polars takes JSON for bytes and refuses the column, iceberg-rust shows ENUM as null, silently. Annotate text as STRING where these read.',
    sources: [
      'https://github.com/apache/parquet-format/blob/master/LogicalTypes.md',
      'https://github.com/apache/iceberg/blob/main/parquet/src/main/java/org/apache/iceberg/parquet/MessageTypeToType.java',
    ],
  },
  {
    anchor: 'daft-legacy-nesting',
    title: 'Daft finds nothing in lists and maps of other names',
    engines: ['Daft'],
    features: /list with Hive|^map /,
    differences: /must have a single child|must have exactly one key_value child/,
    text: 'It drops what has no field ID from the file’s schema, and so the repeated groups within lists and maps, where they are not named `list` and `key_value`.',
    sources: ['https://github.com/Eventual-Inc/Daft/issues/7445'],
  },
  {
    anchor: 'daft-partitions',
    title: 'Daft computes some partitions otherwise',
    engines: ['Daft'],
    features: /^(hour of timestamp|bucket\[\d+\] of decimal|truncate\[\d+\] of string)/,
    differences: /^(=|<|>=|in): row \d+ is missing$/,
    text: 'Hours before 1970 are rounded up where the specification rounds down (`partitioning.rs`), text is cut after so many bytes instead of letters (`truncate.rs`), and of a decimal’s bytes it drops those that carry the sign, or hashes sixteen for a negative one (`hash.rs`). Predicates then skip files that hold the rows.',
    sources: [
      'https://github.com/Eventual-Inc/Daft/blob/main/src/daft-core/src/series/ops/partitioning.rs',
      'https://github.com/Eventual-Inc/Daft/blob/main/src/daft-core/src/array/ops/truncate.rs',
      'https://github.com/Eventual-Inc/Daft/blob/main/src/daft-core/src/array/ops/hash.rs',
    ],
  },
  {
    anchor: 'spark-binary-decimals',
    title: 'Spark refuses decimals in byte arrays of their own length',
    engines: ['Spark'],
    features: /^decimal in BYTE_ARRAY$/,
    differences: /bitWidth invalid: 0/,
    text: 'The specification has decimals in 32 or 64 bits or in bytes of a fixed length. Iceberg’s vectorized reader makes room by that length, which is 0 here (`VectorizedArrowReader.java`, `ArrowSchemaUtil.java`).',
    sources: [
      'https://github.com/apache/iceberg/blob/main/arrow/src/main/java/org/apache/iceberg/arrow/vectorized/VectorizedArrowReader.java',
      'https://iceberg.apache.org/spec/#parquet',
    ],
  },
  {
    anchor: 'flink-uuid',
    title: 'Flink has no UUIDs',
    engines: ['Flink'],
    differences: /Unsupported logical type: UUID|conversion to type uuid/,
    text: 'Iceberg’s runtime for Flink 1.20 shows a UUID as sixteen bytes, and its Parquet reader refuses the annotation.',
    sources: [
      'https://github.com/apache/iceberg/blob/main/flink/v1.20/flink/src/main/java/org/apache/iceberg/flink/data/FlinkParquetReaders.java',
    ],
  },
  {
    anchor: 'flink-time',
    title: 'Flink cuts times of day to milliseconds',
    engines: ['Flink'],
    features: /time$/,
    differences: /^a_time: "[\d:.]+" for |^(=|<|>=|in) .*: rows .* for /,
    text: 'Its `TIME` is a number of milliseconds; Iceberg’s reader for Flink divides the microseconds of the file by a thousand.',
    sources: [
      'https://nightlies.apache.org/flink/flink-docs-release-1.20/docs/dev/table/types/#time',
      'https://github.com/apache/iceberg/blob/main/flink/v1.20/flink/src/main/java/org/apache/iceberg/flink/data/FlinkParquetReaders.java',
    ],
  },
  {
    anchor: 'flink-binary-predicates',
    title: 'Flink fails on predicates on bytes',
    engines: ['Flink'],
    features: /binary|fixed/,
    differences: /Invalid value for conversion to type (binary|fixed)/,
    text: 'Iceberg’s runtime hands a literal of bytes on as text (`FlinkFilters.java`), which does not convert to the column’s type.',
    sources: [
      'https://github.com/apache/iceberg/blob/main/flink/v1.20/flink/src/main/java/org/apache/iceberg/flink/FlinkFilters.java',
    ],
  },
  {
    anchor: 'flink-void',
    title: 'Flink fails on tables whose every partition field is void',
    engines: ['Flink'],
    features: /^void of /,
    differences: /Invalid partition data from content file/,
    text: 'It sends files to its tasks as JSON; the parser counts a spec of void fields alone as unpartitioned, and then refuses the file’s empty tuple (`ContentFileParser.java`).',
    sources: [
      'https://github.com/apache/iceberg/blob/main/core/src/main/java/org/apache/iceberg/ContentFileParser.java',
    ],
  },
  {
    anchor: 'flink-int96',
    title: 'Flink refuses timestamps in INT96',
    engines: ['Flink'],
    features: /^INT96$/,
    differences: /Unsupported type: optional int96/,
    text: 'Iceberg’s Parquet reader for Flink 1.20 knows no INT96 (`FlinkParquetReaders.java`); its others do. The encoding is deprecated: ship `TIMESTAMP_MICROS`.',
    sources: [
      'https://github.com/apache/iceberg/blob/main/flink/v1.20/flink/src/main/java/org/apache/iceberg/flink/data/FlinkParquetReaders.java',
    ],
  },
  {
    anchor: 'nan-and-bounds',
    title: 'NaN above every number is skipped with its row group or file',
    engines: ['DuckDB', 'Spark', 'Daft', 'Flink'],
    features: /: NaN among the values$/,
    differences: /^>= .*: rows of NaN /,
    text: 'To these engines NaN is greater than every number, so `>= x` finds it, but not all of it: Parquet’s statistics and Iceberg’s bounds are of the values that are numbers (both specifications say so), and what is skipped because its greatest number is less than `x`, a row group or a file, takes its NaN with it, whoever wrote it. Where NaN matters ask for it: `column >= x OR isnan(column)`.',
    sources: [
      'https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift',
      'https://github.com/apache/iceberg/blob/main/api/src/main/java/org/apache/iceberg/expressions/InclusiveMetricsEvaluator.java',
      'https://iceberg.apache.org/spec/#manifests',
    ],
  },
  {
    anchor: 'spark-table-cache',
    title: 'Spark answers from the table as it loaded it, until nobody has read it for 30 seconds',
    engines: ['Spark'],
    features:
      /^(a commit of the registrar is seen by the next query|it is seen by a session that reads every 5 s.*), with Spark’s default/,
    differences: /^\d+ of \d+ rows$/,
    text: 'Iceberg’s `CachingCatalog`, on by default in Spark (`cache-enabled`), forgets a table 30 seconds (`cache.expiration-interval-ms`) after it was last read, not loaded: a session that reads more often never sees what others commit. Set `cache-enabled=false`, or `REFRESH TABLE` first, after which the same session does (`docs/maintenance.md`, "Readers that cache tables").',
    sources: [
      'https://github.com/apache/iceberg/blob/main/core/src/main/java/org/apache/iceberg/CachingCatalog.java',
      'https://iceberg.apache.org/docs/latest/spark-configuration/',
    ],
  },
  {
    anchor: 'flink-nanoseconds',
    title: 'Flink misses nanoseconds in predicates',
    engines: ['Flink'],
    features: /timestamp(tz)?_ns/,
    differences: /^(=|in) .*: rows .* for /,
    text: 'Values are read to the nanosecond; a literal is handed to Iceberg as microseconds (`FlinkFilters.java`), so that equality with a value that has nanoseconds finds nothing.',
    sources: [
      'https://github.com/apache/iceberg/blob/main/flink/v1.20/flink/src/main/java/org/apache/iceberg/flink/FlinkFilters.java',
    ],
  },
];

/** The anchor of the first explanation that matches every difference of a red cell. A cell that was not run has none. */
export function explanationOf(cell: Cell): string | undefined {
  if (cell.outcome !== 'red') return undefined;
  const lines = cell.differences ?? [cell.detail ?? ''];
  return explanations.find(
    ({ engines, features, differences }) =>
      engines.some((name) => name === cell.engine) &&
      (features?.test(cell.feature) ?? true) &&
      lines.every((line) => differences.test(line)),
  )?.anchor;
}
