import { readFile } from 'node:fs/promises';
import { styleText } from 'node:util';
import { Command, Option } from 'commander';
import { messageOf, RegistrarError } from '../../lib/errors.ts';
import { inspect } from '../../lib/jobs/inspect.ts';
import { type NameMapping, parseNameMapping } from '../../lib/spec/name-mapping.ts';
import { helpText } from '../help-text.ts';
import { printable, printableJson } from '../printable.ts';
import { inspectionJson, inspectionText, inspectionWarning } from './inspection.ts';
import { sourceOf } from './source.ts';

interface Flags {
  readonly json?: true;
  readonly formatVersion?: '2' | '3';
  readonly caseSensitiveNames?: true;
  readonly fieldIds?: 'checked' | 'by_name';
  readonly nameMapping?: string;
  readonly timestampMillis?: 'refuse' | 'accept';
}

/** As text from the command line, as a number from an entry. */
const formatVersions = { 2: 2, 3: 3 } as const;
const exitCodes = { registrable: 0, refused: 3, empty: 4 } as const;

/** `inspect FILE|s3://…|gs://…`: exits 0 for a file that would be registered, 3 for a refused one, 4 for one without rows. */
export function inspectCommand(): Command {
  return new Command('inspect')
    .description(
      'Show what a Parquet file would be registered as: schema, counts and bounds, or why it would be refused',
    )
    .argument('<file>', 'a local file, s3://bucket/key or gs://bucket/key')
    .option('--json', 'print one JSON object')
    .addOption(new Option('--format-version <version>', 'format version of the table').choices(['2', '3']))
    .option('--case-sensitive-names', 'accept columns whose names differ only in letter case')
    .addOption(
      new Option('--field-ids <mode>', 'by_name accepts a file without field IDs').choices([
        'checked',
        'by_name',
      ]),
    )
    .option('--name-mapping <file>', 'file with the value of the table property schema.name-mapping.default')
    .addOption(
      new Option('--timestamp-millis <policy>', 'what to do with timestamps in milliseconds').choices([
        'refuse',
        'accept',
      ]),
    )
    .addHelpText(
      'after',
      '\nThe entry of REGISTRAR_CONFIG whose url holds an object says how it is read, and what an option is that is left out; without one it is 2, checked or refuse.',
    )
    .addHelpText(
      'after',
      helpText(
        [
          'iceberg-registrar inspect test/files/pyarrow.parquet',
          'iceberg-registrar inspect s3://lake/landing/orders/1.parquet --field-ids by_name',
        ],
        '0 it would be registered, 3 it would be refused, 4 it has no rows, 1 it could not be read',
      ),
    )
    .action(async (file: string, flags: Flags) => {
      const { store, entry } = await sourceOf(file);
      const formatVersion = formatVersions[flags.formatVersion ?? entry?.format_version ?? 2];
      const inspection = await inspect(store, file, {
        formatVersion,
        fieldIds: flags.fieldIds ?? entry?.field_ids ?? 'checked',
        caseSensitiveNames: flags.caseSensitiveNames ?? entry?.case_sensitive_names ?? false,
        timestampMillis: flags.timestampMillis ?? entry?.timestamp_millis ?? 'refuse',
        maxFooterBytes: entry?.max_footer_bytes ?? 64 * 1024 * 1024,
        ...(flags.nameMapping !== undefined && { nameMapping: await readMapping(flags.nameMapping) }),
      });
      console.log(
        flags.json
          ? printableJson(inspectionJson(inspection, formatVersion), 2)
          : inspectionText(file, inspection),
      );
      const warning = inspectionWarning(inspection);
      // Beside the answer, which a program reads.
      if (warning !== undefined) console.error(`${styleText('yellow', 'warning')}  ${printable(warning)}`);
      process.exitCode = exitCodes[inspection.kind];
    });
}

async function readMapping(path: string): Promise<NameMapping> {
  try {
    return parseNameMapping(await readFile(path, 'utf8'));
  } catch (cause) {
    const why = messageOf(cause);
    throw new RegistrarError('config.invalid', `Cannot read the name mapping "${path}": ${why}`, { cause });
  }
}
