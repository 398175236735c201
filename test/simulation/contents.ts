import { createHash } from 'node:crypto';
import type { Row } from '../../local/shipper/dataset.ts';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import { writeParquet } from '../../local/shipper/segment.ts';
import { engineFile } from '../fakes/engine-file.ts';
import { plainFile } from '../fakes/plain-file.ts';

/** The contents of an upload: a version of the dataset's schema, or something that is no segment. */
export type ContentKind = 0 | 1 | 2 | 'misfit' | 'empty' | 'garbage' | 'compacted';

export interface Content {
  readonly kind: ContentKind;
  readonly bytes: Uint8Array;
  /** The value of `seq` in the first row; the other rows count on from it. */
  readonly firstSeq: bigint;
  /** MD5, like S3's plain ETags. */
  readonly etag: string;
  readonly rows: number;
}

/** The schemas of a dataset, oldest first: the second adds a column, the third renames one and promotes another. */
export const versions = [
  schema(required(1, 'seq', 'long'), optional(2, 'name', 'string')),
  schema(required(1, 'seq', 'long'), optional(2, 'name', 'string'), optional(3, 'extra', 'int')),
  schema(required(1, 'seq', 'long'), optional(2, 'title', 'string'), optional(3, 'extra', 'long')),
] as const;

/** A schema that cannot be merged: its first column has another type. */
const misfit = schema(required(1, 'seq', 'string'), optional(2, 'name', 'string'));

/**
 * Contents by kind and number, each made once. Different numbers give different bytes, and numbers below four also different sizes.
 *
 * @param plain without field IDs
 */
export type Contents = (kind: ContentKind, number: number, plain?: boolean) => Content;

export function makeContents(): Contents {
  const made = new Map<string, Content>();
  return (kind, number, plain = false) => {
    const name = `${kind}/${number}/${plain}`;
    let content = made.get(name);
    if (content === undefined) {
      content = makeContent(kind, number, plain);
      made.set(name, content);
    }
    return content;
  };
}

function makeContent(kind: ContentKind, number: number, plain: boolean): Content {
  const rows = kind === 'empty' || kind === 'garbage' ? 0 : 1 + (number % 4);
  const firstSeq = BigInt(number * 10);
  const seqs = Array.from({ length: rows }, (_, row) => firstSeq + BigInt(row));
  const bytes = kind === 'garbage' ? Buffer.from(`no Parquet ${number}`) : parquet(kind, seqs, plain);
  return { kind, bytes, rows, firstSeq, etag: createHash('md5').update(bytes).digest('hex') };
}

function parquet(kind: Exclude<ContentKind, 'garbage'>, seqs: readonly bigint[], plain: boolean): Uint8Array {
  if (kind === 'compacted') {
    return engineFile(
      versions[0],
      seqs.map((seq) => row(seq)),
    );
  }
  const write = plain ? plainFile : writeParquet;
  if (kind === 'misfit') {
    return write(
      misfit,
      seqs.map((seq) => ({ seq: String(seq), name: 'misfit' })),
    );
  }
  return write(
    kind === 'empty' ? versions[0] : versions[kind],
    seqs.map((seq) => row(seq)),
  );
}

function row(seq: bigint): Row {
  return { seq, name: `n${seq}`, title: `n${seq}`, extra: Number(seq) };
}
