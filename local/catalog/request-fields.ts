import { isObject, type JsonObject } from '../../lib/spec/json-object.ts';
import { badRequest } from './catalog-error.ts';

/** An integer as `parseJson` returns it: a bigint if a double cannot hold it. */
export type Long = number | bigint;

export const sameLong = (a: Long, b: Long): boolean => BigInt(a) === BigInt(b);

/** The functions below read one attribute as its type. @throws CatalogError 400 when it is absent or of another type */
export function readText(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value === 'string') return value;
  throw wrong(name, 'a string', value);
}

export function readInt(object: JsonObject, name: string): number {
  const value = object[name];
  if (Number.isSafeInteger(value)) return value as number;
  throw wrong(name, 'an int', value);
}

export function readLong(object: JsonObject, name: string): Long {
  const value = object[name];
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return value as Long;
  throw wrong(name, 'a long', value);
}

export function readObject(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  if (isObject(value)) return value;
  throw wrong(name, 'an object', value);
}

export function readObjects(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw wrong(name, 'a list of objects', value);
}

export function readTexts(object: JsonObject, name: string): readonly string[] {
  const value = object[name];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw wrong(name, 'a list of strings', value);
}

export function readLongs(object: JsonObject, name: string): readonly Long[] {
  const value = object[name];
  if (Array.isArray(value) && value.every((one) => typeof one === 'bigint' || Number.isSafeInteger(one)))
    return value;
  throw wrong(name, 'a list of longs', value);
}

export function readTextMap(object: JsonObject, name: string): Readonly<Record<string, string>> {
  const value = readObject(object, name);
  for (const key of Object.keys(value)) readText(value, key);
  return value as Readonly<Record<string, string>>;
}

function wrong(name: string, expected: string, value: unknown) {
  return badRequest(
    `Cannot parse "${name}": expected ${expected}, got ${value === undefined ? 'nothing' : typeof value}`,
  );
}
