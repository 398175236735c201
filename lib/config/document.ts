import { LineCounter, parseDocument, visit } from 'yaml';
import { RegistrarError } from '../errors.ts';

/** Settings as they were written: text, lists and maps, nothing interpreted. */
export type RawValue = string | readonly RawValue[] | RawSettings;
export interface RawSettings {
  readonly [key: string]: RawValue;
}

/**
 * The entries of a configuration: one, a list, or the `sinks:` of a thadam configuration of `kind: iceberg`. Nothing of the text is
 * quoted in an error, since it may hold secrets.
 * @throws `config.invalid`
 */
export function parseEntries(text: string): readonly RawSettings[] {
  const document = parseYaml(text);
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
 * Parses YAML 1.2. Scalars stay text, exactly as they were written: `0123`, `1e5` and `1.10` lose nothing. A key without a value, or
 * of value null, is not set.
 * @throws `config.invalid` with line and column
 */
export function parseYaml(text: string): RawValue {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new RegistrarError(
      'config.invalid',
      `Cannot parse the configuration: it is no YAML at line ${line}, column ${col} (${error.code})`,
    );
  }
  visit(document, {
    Scalar: (_key, scalar) => {
      if (scalar.value !== null && scalar.source !== undefined) scalar.value = scalar.source;
    },
  });
  try {
    return rawValue(document.toJS());
  } catch {
    throw new RegistrarError(
      'config.invalid',
      'Cannot parse the configuration: an alias in it has no anchor',
    );
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
  if (Array.isArray(value)) return value.map((item) => (item === null ? '' : rawValue(item)));
  const members = Object.entries(value ?? {}).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, rawValue(member)]));
}
