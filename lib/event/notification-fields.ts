import { isObject, type JsonObject } from '../spec/json-object.ts';

/** The member as an object, or an empty object when it is anything else. */
export function objectAt(object: JsonObject, member: string): JsonObject {
  const value = object[member];
  return isObject(value) ? value : {};
}

export function textAt(object: JsonObject, member: string): string | undefined {
  const value = object[member];
  return typeof value === 'string' ? value : undefined;
}

/** The decimal digits of an int64, which Google writes as a string or as a number. */
export function int64At(object: JsonObject, member: string): string | undefined {
  const value = object[member];
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  return typeof text === 'string' && /^\d+$/.test(text) ? text : undefined;
}
