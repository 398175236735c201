import { createHash } from 'node:crypto';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Schema } from '../../lib/spec/schema.ts';
import type { Row } from '../../local/shipper/dataset.ts';
import { parquetSchema } from '../../local/shipper/parquet-schema.ts';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../local/shipper/segment.ts';

/** What an upload holds: a version of the dataset's schema, or something that is no segment. */
export type ContentKind = 0 | 1 | 2 | 'misfit' | 'empty' | 'garbage' | 'compacted';

export interface Content {
  readonly kind: ContentKind;
  readonly bytes: Uint8Array;
  /** MD5, as S3's plain ETags. */
  readonly etag: string;
  readonly rows: number;
}

/** The dataset's schemas, oldest first: a column is added, then one is renamed and one promoted. */
export const versions = [
  schema(required(1, 'seq', 'long'), optional(2, 'name', 'string')),
  schema(required(1, 'seq', 'long'), optional(2, 'name', 'string'), optional(3, 'extra', 'int')),
  schema(required(1, 'seq', 'long'), optional(2, 'title', 'string'), optional(3, 'extra', 'long')),
] as const;

/** What no merge accepts: the first column is of another type. */
const misfit = schema(required(1, 'seq', 'string'), optional(2, 'name', 'string'));

/** Contents by kind and number, each made once: different numbers are different bytes, and those below four differ in size. */
export type Contents = (kind: ContentKind, number: number) => Content;

export function makeContents(): Contents {
  const made = new Map<string, Content>();
  return (kind, number) => {
    const name = `${kind}/${number}`;
    let content = made.get(name);
    if (content === undefined) {
      content = makeContent(kind, number);
      made.set(name, content);
    }
    return content;
  };
}

function makeContent(kind: ContentKind, number: number): Content {
  const rows = kind === 'empty' || kind === 'garbage' ? 0 : 1 + (number % 4);
  const bytes = kind === 'garbage' ? Buffer.from(`no Parquet ${number}`) : parquet(kind, number, rows);
  return { kind, bytes, etag: createHash('md5').update(bytes).digest('hex'), rows };
}

function parquet(kind: Exclude<ContentKind, 'garbage'>, number: number, rows: number): Uint8Array {
  const seqs = Array.from({ length: rows }, (_, row) => BigInt(number * 10 + row));
  if (kind === 'compacted') return compacted(versions[0], seqs);
  if (kind === 'misfit') {
    return writeParquet(
      misfit,
      seqs.map((seq) => ({ seq: String(seq), name: 'misfit' })),
    );
  }
  return writeParquet(
    kind === 'empty' ? versions[0] : versions[kind],
    seqs.map((seq) => row(seq)),
  );
}

function row(seq: bigint): Row {
  return { seq, name: `n${seq}`, title: `n${seq}`, extra: Number(seq) };
}

/** As Iceberg's Java writers leave it: the table's schema stands in the footer (I11). */
function compacted(written: Schema, seqs: readonly bigint[]): Uint8Array {
  return new Uint8Array(
    parquetWriteBuffer({
      schema: parquetSchema(written),
      columnData: [
        { name: 'seq', data: [...seqs] },
        { name: 'name', data: seqs.map((seq) => `n${seq}`) },
      ],
      createdBy: 'parquet-mr',
      kvMetadata: [{ key: 'iceberg.schema', value: JSON.stringify(written) }],
    }),
  );
}
