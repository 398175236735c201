import { numberRanges } from '../counted.ts';
import { messageOf, RegistrarError } from '../errors.ts';
import { parseEntries, type RawSettings } from './document.ts';
import type { Entry } from './entry.ts';
import { type Environment, override, readOverrides, SOURCE } from './overrides.ts';
import { isPacked, unpackText } from './packed-text.ts';
import { type ReferenceKind, resolveReferences } from './references.ts';
import { type ValidatedEntry, validateEntry } from './validate.ts';

/** Reads what the configuration refers to. Whatever these throw becomes a problem, by its message. */
export interface ConfigReaders {
  readonly readFile: (path: string) => Promise<string>;
  /** `s3://bucket/key` */
  readonly readObject: (uri: string) => Promise<string>;
  /**
   * Absent if certificates are neither read nor checked: a deployment has neither the files nor the secrets of its functions.
   */
  readonly readCertificate?: (path: string) => Promise<string>;
  readonly resolveSecret: (kind: 'secretsmanager' | 'ssm', name: string) => Promise<string>;
}

export interface Config {
  readonly entries: readonly Entry[];
  /** For the log: settings that are allowed but unwise. */
  readonly warnings: readonly string[];
}

/**
 * Reads, resolves and checks the configuration. `REGISTRAR_CONFIG` is a path, `s3://…`, `ssm:NAME`, `gzip:…` or the text itself; without
 * it, the one entry comes from the environment alone. Secrets are read anew at each call, each one once.
 *
 * @throws `config.invalid`, listing every problem
 */
export async function loadConfig(env: Environment, given: ConfigReaders): Promise<Config> {
  const readers = { ...given, resolveSecret: eachOnce(given.resolveSecret) };
  const written = await parseEntries(await readSource(env, readers));
  const general: string[] = [];
  const overrides = await readOverrides(env, general);

  const validated = await Promise.all(
    written.map((settings) => readEntry(overrides.reduce(override, settings), env, readers)),
  );

  const problems = [...general, ...ofEntries(validated.map((one) => one.problems))];
  if (problems.length > 0) {
    throw new RegistrarError(
      'config.invalid',
      [title(env), ...problems.map((problem) => `- ${problem}`)].join('\n'),
      { context: { problems: problems.length } },
    );
  }
  const entries = validated.flatMap(({ entry }) => entry ?? []);
  return {
    entries,
    warnings: [...ofEntries(validated.map(({ warnings }) => warnings)), ...idleEntries(entries)],
  };
}

/** What is said of each entry, with its number where there are several. What is said of many of them is said once. */
function ofEntries(texts: readonly (readonly string[])[]): readonly string[] {
  if (texts.length === 1) return texts.flat();
  const said = texts.flatMap((ofOne, at) => [...new Set(ofOne)].map((text) => ({ text, number: at + 1 })));
  return [...Map.groupBy(said, ({ text }) => text)].map(([text, same]) => {
    const numbers = numberRanges(same.map(({ number }) => number));
    return `${same.length === 1 ? 'entry' : 'entries'} ${numbers}: ${text}`;
  });
}

/** Entries share secrets: dozens of them that name one token read it once. */
function eachOnce(resolveSecret: ConfigReaders['resolveSecret']): ConfigReaders['resolveSecret'] {
  const read = new Map<string, Promise<string>>();
  return (kind, name) => {
    const reference = `${kind}:${name}`;
    const reading = read.get(reference) ?? resolveSecret(kind, name);
    read.set(reference, reading);
    return reading;
  };
}

/** Warns of an entry that gets no segment: the first entry that accepts a key takes it. */
function idleEntries(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry, at) => {
    const first = entries.findIndex((other) => takesAllOf(other, entry));
    return first < at
      ? [
          `entry ${at + 1} gets no segment: entry ${first + 1} has the same url and layout and takes them first; narrow it with from or pipeline, or remove one`,
        ]
      : [];
  });
}

function takesAllOf(one: Entry, other: Entry): boolean {
  return (
    one.url === other.url &&
    one.layout === other.layout &&
    (one.pipeline === undefined || one.pipeline === other.pipeline) &&
    (one.from === undefined || (other.from?.every((dataset) => one.from?.includes(dataset)) ?? false)) &&
    (one.hidden_names === other.hidden_names || one.hidden_names === 'accept')
  );
}

function title(env: Environment): string {
  return isUnset(env)
    ? 'Cannot use the environment alone as the configuration; set REGISTRAR_CONFIG to a file such as "iceberg-registrar init" writes:'
    : 'Cannot use the configuration:';
}

function isUnset(env: Environment): boolean {
  return (env[SOURCE] ?? '').trim() === '';
}

async function readEntry(
  written: RawSettings,
  env: Environment,
  readers: ConfigReaders,
): Promise<ValidatedEntry> {
  const unresolved: string[] = [];
  const settings = await resolveReferences(
    written,
    async (kind, name) => (await resolve(kind, name, env, readers))?.replace(/\r?\n$/, ''),
    unresolved,
  );
  const validated = validateEntry(settings, written);
  const unreadable: string[] = [];
  const entry = validated.entry && (await withCertificates(validated.entry, written, readers, unreadable));
  return {
    ...validated,
    ...(entry && { entry }),
    problems: [...unresolved, ...validated.problems, ...unreadable],
  };
}

/** Few entries have certificates, and only those load what reads them. */
async function withCertificates(
  entry: Entry,
  written: RawSettings,
  { readCertificate }: ConfigReaders,
  problems: string[],
): Promise<Entry> {
  const { catalog_ca_file, catalog_client_cert, catalog_client_key } = entry;
  const has = (catalog_ca_file ?? catalog_client_cert ?? catalog_client_key) !== undefined;
  if (!has || readCertificate === undefined) return entry;
  return (await import('./certificates.ts')).readCertificateFiles(entry, written, readCertificate, problems);
}

/** In characters. Longer than names are, shorter than a configuration. */
const LONGEST_NAME = 250;

async function readSource(
  env: Environment,
  { readFile, readObject, resolveSecret }: ConfigReaders,
): Promise<string> {
  const source = env[SOURCE] ?? '';
  if (isUnset(env) || /\n|:\s|^[{[]/.test(source)) return source;
  try {
    if (/^(s3|gs):\/\//.test(source)) return await readObject(source);
    const text = unpackText(source);
    if (text !== undefined) return text;
    if (source.startsWith('ssm:')) return await resolveSecret('ssm', source.slice('ssm:'.length));
    return await readFile(source);
  } catch (cause) {
    if (source.length > LONGEST_NAME || isPacked(source)) {
      // It may be the configuration itself in another form, secrets included.
      throw new RegistrarError(
        'config.invalid',
        `Cannot use the ${source.length} characters of REGISTRAR_CONFIG: they are neither YAML nor the name of a file, an object or a parameter`,
      );
    }
    throw new RegistrarError(
      'config.invalid',
      `Cannot read the configuration "${source}" that REGISTRAR_CONFIG names: ${messageOf(cause)}`,
      { cause },
    );
  }
}

async function resolve(
  kind: ReferenceKind,
  name: string,
  env: Environment,
  { readFile, resolveSecret }: ConfigReaders,
): Promise<string | undefined> {
  switch (kind) {
    case 'env':
      return env[name];
    case 'file':
      return readFile(name);
    case 'secretsmanager':
    case 'ssm':
      return resolveSecret(kind, name);
  }
}
