import Table from 'cli-table3';

/** A table without a heading and without lines between its rows. */
export function compactTable() {
  return new Table({ style: { head: [], border: [], compact: true } });
}
