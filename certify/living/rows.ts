import type { Row } from '../../local/shipper/dataset.ts';
import type { Count } from '../../test/soak/readers.ts';
import { checksum } from '../../test/soak/readings.ts';

/** Rows that one writer appends in one commit. Their `seq` are consecutive and in no other batch. */
export interface Batch {
  readonly firstSeq: bigint;
  readonly rows: readonly Row[];
}

const ROWS_PER_BATCH = 20;

/**
 * Makes the batches of a writer other than the registrar, with the columns of `readings` that no schema version renames. Its `seq` begin
 * at `base`, far from those of shippers and other writers.
 */
export function* batches(writer: string, base: bigint): Generator<Batch, never> {
  for (let firstSeq = base; ; firstSeq += BigInt(ROWS_PER_BATCH)) {
    const rows = Array.from({ length: ROWS_PER_BATCH }, (_, index): Row => {
      const seq = firstSeq + BigInt(index);
      return {
        seq,
        device: writer,
        measured_at: 1_767_225_600_000_000n + (seq - base) * 250_000n,
        reading: index % 10 === 9 ? null : Number((seq * 7_919n) % 2_147_483_647n),
      };
    });
    yield { firstSeq, rows };
  }
}

/** The counted form of rows, and the `seq` of each. */
export interface CountedRows extends Count {
  readonly seqs: ReadonlySet<string>;
}

/** The rows that a table must hold: those added, less those deleted. */
export interface Account {
  add(rows: readonly Row[]): void;
  remove(rows: readonly Row[]): void;
  count(): CountedRows;
}

export function openAccount(): Account {
  const [written, deleted] = [new Set<string>(), new Set<string>()];
  let [rows, sum] = [0, 0n];
  return {
    add(more) {
      rows += more.length;
      sum += checksum(more);
      for (const { seq } of more) written.add(String(seq));
    },
    remove(gone) {
      rows -= gone.length;
      sum -= checksum(gone);
      for (const { seq } of gone) deleted.add(String(seq));
    },
    count() {
      const seqs = written.difference(deleted);
      return { rows, distinct: seqs.size, checksum: sum, seqs };
    },
  };
}

/** A batch as JSON for the writers' programs, with bigints as text. */
export function spelledRows({ rows }: Batch): readonly Readonly<Record<string, string | null>>[] {
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]),
    ),
  );
}
