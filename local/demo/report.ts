import { grouped, type Screen } from './screen.ts';
import type { Verdict } from './verdict.ts';

/** `{"tables":[…],"redelivered":n,"quarantined":n}` */
export function verdictJson({ tables, redelivered, quarantined }: Verdict): string {
  return JSON.stringify({
    tables: tables.map(({ redelivered: _, ...table }) => table),
    redelivered,
    quarantined,
  });
}

/** Reports the contents of the tables and whether all figures agree. Returns the exit code. */
export function report(screen: Screen, verdict: Verdict, seconds: number): 0 | 1 {
  screen.heading('What the tables contain, by metadata, manifests, and ClickHouse reading every value');
  screen.table(
    ['table', 'segments', 'rows', 'data files', 'snapshots', 'redelivered', 'duplicates', 'columns'],
    verdict.tables.map(
      ({ table, segments, rows, dataFiles, snapshots, redelivered, duplicates, columns }) => [
        table,
        ...[segments, rows, dataFiles, snapshots, redelivered, duplicates, columns.length].map(grouped),
      ],
    ),
  );
  if (verdict.problems.length > 0) {
    screen.line(
      screen.paint('red', `${verdict.problems.length} figures do not agree with the shipper's log:`),
    );
    for (const problem of verdict.problems) screen.line(`  ${problem}`);
    return 1;
  }
  const rows = verdict.tables.reduce((sum, table) => sum + table.readBackRows, 0);
  screen.line(
    `${screen.paint('green', "Every figure agrees with the shipper's log")}, ${seconds.toFixed(1)} s after the start.`,
  );
  screen.line(`  ${grouped(rows)} rows read back: nulls, sum and checksum of every column, nested ones too`);
  screen.line('  rows, size, counts and bounds of every data file; column names, types and field IDs');
  screen.line(
    `  ${verdict.redelivered} redeliveries recognised, ${verdict.quarantined} broken file in quarantine, no dead letters`,
  );
  screen.heading('Try next');
  screen.line(
    '  npm run demo -- --keep                                         keep it running for status, PyIceberg, DuckDB, Spark',
  );
  screen.line('  npx iceberg-registrar explain events/s3-put.json               what an event contains');
  screen.line(
    '  npx iceberg-registrar invoke register events/s3-put-fifo.json  the deployed handler on one event',
  );
  return 0;
}
