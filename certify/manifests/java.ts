import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install, installedFolder } from '../../test/integration/services/services.ts';
import { type Program, startProgram } from '../../test/soak/python.ts';
import type { Context } from '../section.ts';

const sources = join(import.meta.dirname, 'java');

/** An Avro file as Avro's own reader for Java finds it. */
export interface AvroFile {
  readonly metadata: Readonly<Record<string, string>>;
  readonly schema: unknown;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

/** One snapshot and the files that it wrote. */
export interface WrittenSnapshot {
  readonly snapshotId: string;
  readonly summary: Readonly<Record<string, string>>;
  readonly list: AvroFile;
  readonly manifests: readonly AvroFile[];
}

/** A commit of the registrar, and the same append by Java. */
export interface Append {
  readonly ours: WrittenSnapshot;
  readonly java?: WrittenSnapshot;
  /** Why Java cannot append the files, if it cannot. */
  readonly refusal?: string;
}

export type MetadataRows = readonly Readonly<Record<string, unknown>>[];
export type MetadataTables = Readonly<Record<string, MetadataRows>>;

/** What Iceberg for Java finds in a table. */
export interface JavaTable {
  readonly tables: MetadataTables;
  /** The live data files that ManifestReader finds. */
  readonly read: MetadataRows;
  readonly appends: readonly Append[];
  /** The entries of all manifests before and after each commit that merged some. */
  readonly merges: readonly { readonly before: MetadataRows; readonly after: MetadataRows }[];
}

/** Starts ManifestOracle.java on a folder (mirror.ts). It takes the URI of a table's metadata file, and returns what it finds. */
export async function startJava(
  { scratch, log, onClose }: Context,
  folder: string,
): Promise<(metadataUri: string) => Promise<JavaTable>> {
  await install('parquet');
  const classes = join(scratch, 'manifest-oracle');
  const libraries = join(installedFolder, 'parquet/*');
  const files = readdirSync(sources).map((name) => join(sources, name));
  await promisify(execFile)('javac', ['-cp', libraries, '-d', classes, ...files]);
  const java: Program = startProgram(
    'java',
    ['-Xmx512m', '-XX:+UseSerialGC', '-cp', `${classes}:${libraries}`, 'ManifestOracle', folder],
    {},
    log,
  );
  onClose(() => java.stop());
  return async (uri) => (await java.ask(uri)) as JavaTable;
}
