/**
 * The time to decode a footer: `node bench/footer/footer.ts`. The peer is hyparquet, which decodes the same bytes but loses the raw
 * statistics. Both run alternately, and the result is the ratio of their medians. `segmentOf` is the whole stage: decoding, checks, schema
 * and bounds.
 */
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { decodeFooter } from '../../lib/segment/footer.ts';
import { segmentOf } from '../../lib/segment/segment.ts';

interface Case {
  readonly columns: number;
  readonly rowGroups: number;
  readonly rowsPerGroup: number;
  readonly turns: number;
}

const cases: readonly Case[] = [
  { columns: 12, rowGroups: 1, rowsPerGroup: 20, turns: 2000 },
  { columns: 12, rowGroups: 1, rowsPerGroup: 20_000, turns: 2000 },
  { columns: 1000, rowGroups: 10, rowsPerGroup: 2, turns: 40 },
];

for (const each of cases) {
  const file = parquetFile(each);
  const trailer = file.length - 8;
  const footer = file.subarray(trailer - new DataView(file.buffer).getUint32(trailer, true), trailer);
  const [ours, stage, peer] = medians(each.turns, [
    () => [...decodeFooter(footer).rowGroups()].length,
    () => segment(footer, file.length),
    () => parquetMetadata(file.buffer).row_groups.length,
  ]);
  const { columns, rowGroups, rowsPerGroup } = each;
  console.log(
    `${columns} columns × ${rowGroups} row groups × ${rowsPerGroup} rows, footer of ${footer.length} bytes: ` +
      `decode ${ratio(ours, peer)} of hyparquet's ${peer.toFixed(3)} ms, whole stage ${ratio(stage, peer)}`,
  );
  if (ours > peer) process.exitCode = 1;
}

function parquetFile({ columns, rowGroups, rowsPerGroup }: Case): Uint8Array<ArrayBuffer> {
  const rows = Array.from({ length: rowGroups * rowsPerGroup }, (_, row) => row);
  const kinds = [
    { element: { type: 'INT64' }, value: BigInt },
    { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, value: (row: number) => `value ${row}` },
    { element: { type: 'DOUBLE' }, value: (row: number) => row * 1.5 },
    { element: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }, value: BigInt },
    { element: { type: 'INT32', converted_type: 'DATE' }, value: (row: number) => row },
    { element: { type: 'BOOLEAN' }, value: (row: number) => row % 2 === 0 },
  ] as const;
  const indexes = Array.from({ length: columns }, (_, index) => index);
  const kind = (index: number) => kinds[index % kinds.length] ?? kinds[0];
  const name = (index: number) => `column_${index}`;
  return new Uint8Array(
    parquetWriteBuffer({
      rowGroupSize: rowsPerGroup,
      schema: [
        { name: 'root', num_children: columns },
        ...indexes.map((index) => ({
          ...kind(index).element,
          name: name(index),
          repetition_type: 'OPTIONAL' as const,
          field_id: index + 1,
        })),
      ],
      columnData: indexes.map((index) => ({
        name: name(index),
        data: rows.map((row) => kind(index).value(row)),
      })),
    }),
  );
}

function segment(bytes: Uint8Array, sizeBytes: number): unknown {
  return segmentOf(
    { scheme: 's3', bucket: 'b', key: 'k' },
    { kind: 'footer', uri: 's3://b/k', bytes, etag: 'e', sizeBytes, lastModifiedMs: 0 },
    { formatVersion: 2, fieldIds: 'checked', caseSensitiveNames: false, timestampMillis: 'refuse' },
  );
}

/** The median milliseconds of each. They run alternately, so that other load on the machine affects both equally. */
function medians(turns: number, runs: readonly (() => unknown)[]): [number, number, number] {
  const times = runs.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, run] of runs.entries()) {
      const start = performance.now();
      run();
      times[index]?.push(performance.now() - start);
    }
  }
  const [a = 0, b = 0, c = 0] = times.map((each) => each.sort((x, y) => x - y)[each.length >> 1]);
  return [a, b, c];
}

function ratio(ours: number, peer: number): string {
  return `${(ours / peer).toFixed(2)} ×`;
}
