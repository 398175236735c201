/** An object of parsed JSON, whose fields are checked as they are read. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws TypeError naming the field and its value, like every function below */
export function object(value: unknown, what: string): JsonObject {
  if (isObject(value)) return value;
  throw new TypeError(`${what} is ${shown(value)}, not an object`);
}

export function text(json: JsonObject, key: string): string {
  const value = json[key];
  if (typeof value === 'string') return value;
  throw new TypeError(`"${key}" is ${shown(value)}, not text`);
}

export function int(json: JsonObject, key: string): number {
  const value = json[key];
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  throw new TypeError(`"${key}" is ${shown(value)}, not an int`);
}

export function long(json: JsonObject, key: string): bigint {
  const value = json[key];
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value)))
    return BigInt(value);
  throw new TypeError(`"${key}" is ${shown(value)}, not a long`);
}

/** Undefined if absent or null. */
export function optional<T>(
  read: (json: JsonObject, key: string) => T,
  json: JsonObject,
  key: string,
): T | undefined {
  return json[key] === undefined || json[key] === null ? undefined : read(json, key);
}

export function array(json: JsonObject, key: string): readonly unknown[] {
  const value = json[key];
  if (Array.isArray(value)) return value;
  throw new TypeError(`"${key}" is ${shown(value)}, not an array`);
}

/** An object of text values. Numbers and booleans in it are converted to text (cases.md C23). */
export function texts(json: JsonObject, key: string): Readonly<Record<string, string>> {
  const held = object(json[key], `"${key}"`);
  if (isAllText(held)) return held;
  const entries = Object.entries(held).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

function isAllText(held: JsonObject): held is Readonly<Record<string, string>> {
  return Object.values(held).every((value) => typeof value === 'string');
}

function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  return typeof value === 'object' && value !== null ? 'an object or array' : `"${value}"`;
}
