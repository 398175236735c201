import pLimit from 'p-limit';
import type { Entry } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import { objectReference } from '../../event/segment-reference.ts';
import { register } from '../register/register.ts';
import type { EntryPorts, RegisterPorts } from '../register/register-ports.ts';
import { type Found, failed, ok } from './finding.ts';

/** A Parquet file with one row of one optional column, `id` int with field ID 1. */
const SEGMENT = Buffer.from(
  'UEFSMRUGFQwVEFwVAhUAFQIVABUEFQAAAAMBBAwBAAAAFQQZLEgFdGFibGUVAgAVAiUCGAJpZFUCABYCGRwZHCYIHBUCGRUAGRgCaWQVAhYCFjYWOiYIPDYAKAQBAAAAGAQBAAAAABkcFQYVABUCAAAAFjYWAjY6ACgMZGVtbyBzaGlwcGVyGRwcAAAAbAAAAFBBUjE=',
  'base64',
);
const TRIAL_MS = 60_000;

/**
 * A complete registration in a new table with a unique name: writes a file to a place where no key is a segment, creates a table there with
 * the file's field IDs, and commits the file. Nothing is removed afterwards: some catalogs delete a table's files with it, and the registrar
 * never deletes anything (I1).
 */
export async function tryRegistration(
  entry: Entry,
  services: EntryPorts,
  ports: RegisterPorts,
): Promise<Found> {
  const name = `iceberg_registrar_doctor_${ports.random.uuid().slice(0, 8)}`;
  const url = `${entry.url}/_temporary/iceberg-registrar`;
  const uri = `${url}/${name}/trial.parquet`;
  const { from: _from, pipeline: _pipeline, ...kept } = entry;
  const trial: Entry = {
    ...kept,
    url,
    layout: '{url}/{dataset}/…',
    table: '{dataset}',
    ...(entry.table_location !== undefined && { table_location: locationOf(entry.table_location) }),
    branch: 'main',
    create_table: true,
    partition_by: [],
    field_ids: 'checked',
  };
  const title = `"${[...entry.namespace, name].join('.')}"`;

  const reference = objectReference(uri);
  await services.store.write(uri, SEGMENT, { ifAbsent: true });
  const { outcomes } = await register(
    [reference],
    {
      ...ports,
      entries: [trial],
      // The refusal of this file is the result of the check, so nothing goes to quarantine.
      portsOf: () => ({ ...services, quarantine: { ...services.quarantine, put: async () => uri } }),
      cache: new Map(),
      footerLimit: pLimit(1),
    },
    () => TRIAL_MS,
  );
  const [outcome] = outcomes;
  if (outcome?.kind === 'committed') {
    return ok(
      `table ${title} was made ${madeAt(trial, name)} with one file in place below ${url}; drop it, without purging, when you like`,
    );
  }
  const error = outcome !== undefined && 'error' in outcome ? outcome.error : undefined;
  if (error instanceof RegistrarError) throw error;
  return failed(`the file was not registered in table ${title}: ${outcome?.kind}`, 'see the log');
}

/** The location of the trial table, beside the future tables. Its layout has a dataset and nothing else. */
function locationOf(template: string): string {
  return template.replaceAll(/\{[^}]*\}/g, '{dataset}');
}

function madeAt({ table_location: location, url }: Entry, name: string): string {
  if (location === 'catalog') return 'where the catalog puts its tables';
  return `at ${location?.replaceAll('{dataset}', name) ?? `${url}/${name}`}`;
}
