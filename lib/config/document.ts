import { RegistrarError } from '../errors.ts';

/** Settings as they are written: text, lists and maps, uninterpreted. */
export type RawValue = string | readonly RawValue[] | RawSettings;
export interface RawSettings {
  readonly [key: string]: RawValue;
}

/**
 * Parses the entries of a configuration: one entry, a list, or the `sinks:` of `kind: iceberg` in a thadam configuration.
 * Errors quote nothing of the text, since it may contain secrets.
 *
 * @throws `config.invalid`
 */
export async function parseEntries(text: string): Promise<readonly RawSettings[]> {
  const document = await parseYaml(text);
  const sinks = isMap(document) ? document['sinks'] : undefined;
  if (sinks !== undefined) {
    const ours = itemsOf(sinks).filter(({ kind }) => kind === 'iceberg');
    if (ours.length > 0) return ours;
    throw new RegistrarError(
      'config.invalid',
      'Cannot read the configuration: "sinks" has no entry of "kind: iceberg"',
    );
  }
  const entries = Array.isArray(document) ? document : [document];
  if (entries.length > 0 && entries.every(isMap)) return entries;
  throw new RegistrarError(
    'config.invalid',
    'Cannot read the configuration: it must be one entry, that is a map of settings such as "url: s3://lake", or a list of entries',
  );
}

/**
 * Parses YAML 1.2. Scalars stay text, exactly as they are written, so `0123`, `1e5` and `1.10` lose nothing. A key without a
 * value, or with null, counts as not set.
 *
 * @throws `config.invalid` with line and column
 */
export async function parseYaml(text: string): Promise<RawValue> {
  const value = plainJson(text) ?? (await (await import('./yaml.ts')).parseDocumentText(text));
  return rawValue(value);
}

/**
 * Parses JSON exactly as `JSON.stringify` writes it, the form in which a deployment passes the configuration to its functions,
 * so that their start does not have to load a YAML parser. Everything else, including JSON with a duplicate key, is left to
 * YAML.
 */
function plainJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isMap(value: RawValue | undefined): value is RawSettings {
  return typeof value === 'object' && !Array.isArray(value);
}

function itemsOf(sinks: RawValue): readonly RawSettings[] {
  if (typeof sinks === 'string') return [];
  return (isMap(sinks) ? Object.values(sinks) : sinks).filter(isMap);
}

function rawValue(value: unknown): RawValue {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map((item) => (item === null ? '' : rawValue(item)));
  const members = Object.entries(value ?? {}).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, rawValue(member)]));
}
