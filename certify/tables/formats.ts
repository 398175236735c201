import type { Row as ShippedRow } from '../../local/shipper/dataset.ts';
import { optional, required, schema } from '../../local/shipper/schema-notation.ts';
import { openDataset } from '../dataset.ts';
import type { Context, Section } from '../section.ts';
import { type CertifiedTable, certified, certifyTables } from './certified-table.ts';

const first = schema(required(1, 'seq', 'long'), optional(2, 'name', 'string'));
const second = schema(...first.fields, optional(3, 'note', 'string'));
const nothing: Readonly<Record<string, string>> = {};
/** With these properties, a commit merges manifests as soon as there are three. */
const merging: Readonly<Record<string, string>> = { 'commit.manifest.min-count-to-merge': '3' };

/** A table that another writer created in one format version. It may be upgraded; the registrar appends and evolves before and after. */
async function version(
  context: Context,
  feature: string,
  from: number,
  ...upgrades: readonly number[]
): Promise<CertifiedTable> {
  const dataset = await openDataset(context, `v${[from, ...upgrades].join('_')}`);
  const properties = { 'format-version': String(from) };
  await dataset.foreign({ do: 'create', schema: first, properties });
  let seq = 0n;
  const row = (more: ShippedRow = {}) => {
    seq += 1n;
    return { seq, name: `row ${seq}`, ...more };
  };
  await dataset.ship(first, [row(), row()]);
  for (const formatVersion of upgrades) {
    await dataset.alter({ action: 'upgrade-format-version', 'format-version': formatVersion });
    await dataset.ship(first, [row()]);
  }
  await dataset.ship(second, [row({ note: 'added' })]);
  return certified(dataset, feature);
}

/** Ships single rows, one per segment. @throws Error when manifests are not merged, or are merged against the table's setting */
async function segments(
  context: Context,
  feature: string,
  commits: number,
  ofEach: number,
  properties = nothing,
): Promise<CertifiedTable> {
  const dataset = await openDataset(context, `segments_${commits}_${ofEach}`, {
    table_properties: properties,
  });
  for (let commit = 0; commit < commits; commit += 1) {
    const rows = Array.from({ length: ofEach }, (_, index) => {
      const seq = BigInt(commit * ofEach + index);
      return [{ seq, name: `row ${seq}` }];
    });
    await dataset.shipMany(first, rows);
  }
  const manifests = await dataset.manifests();
  if (manifests < commits !== (properties === merging))
    throw new Error(`Cannot certify "${feature}": ${manifests} manifests after ${commits} commits`);
  return certified(dataset, feature);
}

export const formats: Section = {
  name: 'formats',
  title: 'Format versions and sizes',
  short: true,
  async *run(context) {
    yield* certifyTables(context, [
      await version(context, 'version 1', 1),
      await version(context, 'version 2', 2),
      await version(context, 'version 3', 3),
      await version(context, 'version 1, upgraded to 2', 1, 2),
      await version(context, 'version 1, upgraded to 2 and 3', 1, 2, 3),
      await segments(context, '1 segment', 1, 1),
      await segments(context, '10 segments, a commit each', 10, 1),
      await segments(context, '40 segments, a commit each, manifests merged', 40, 1, merging),
      await segments(context, '100 segments in one commit', 1, 100),
    ]);
  },
};

export const sizes: Section = {
  name: 'sizes',
  title: 'A thousand segments',
  short: false,
  async *run(context) {
    yield* certifyTables(context, [
      await segments(context, '1,000 segments in one commit', 1, 1000),
      await segments(context, '1,000 segments in 10 commits, manifests merged', 10, 100, merging),
    ]);
  },
};
