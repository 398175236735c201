import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../lib/spec/json-object.ts';
import { highestFieldId, indexById, type Schema, type StructType, type Type } from '../../lib/spec/schema.ts';
import { badRequest, invalid } from './catalog-error.ts';
import { addedAgain, change, type Draft, lastAdded } from './draft.ts';
import { readInt, readLongs, readObject, readObjects } from './request-fields.ts';

/** `add-schema`: keeps the field IDs. A schema equal to an existing one becomes that one, whichever ID was sent. */
export function addSchema(draft: Draft, update: JsonObject): Draft {
  const { metadata } = draft;
  const schema = readSchema(readObject(update, 'schema'), metadata['format-version']);
  const equal = metadata.schemas.find((one) => isDeepStrictEqual(comparable(one), comparable(schema)));
  if (equal) return { ...draft, lastAddedSchemaId: addedAgain(draft.lastAddedSchemaId, equal['schema-id']) };
  const id = Math.max(-1, ...metadata.schemas.map((one) => one['schema-id'])) + 1;
  const added = change(draft, {
    schemas: [...metadata.schemas, { ...schema, 'schema-id': id }],
    'last-column-id': Math.max(metadata['last-column-id'], highestFieldId(schema)),
  });
  return { ...added, lastAddedSchemaId: id };
}

export function setCurrentSchema(draft: Draft, update: JsonObject): Draft {
  const id = lastAdded(readInt(update, 'schema-id'), draft.lastAddedSchemaId, 'schema');
  if (!draft.metadata.schemas.some((schema) => schema['schema-id'] === id)) {
    throw badRequest(`Cannot set current schema to unknown schema: ${id}`);
  }
  return id === draft.metadata['current-schema-id'] ? draft : change(draft, { 'current-schema-id': id });
}

export function removeSchemas(draft: Draft, update: JsonObject): Draft {
  const ids = readLongs(update, 'schema-ids').map(Number);
  if (ids.includes(draft.metadata['current-schema-id'])) throw badRequest('Cannot remove the current schema');
  return change(draft, {
    schemas: draft.metadata.schemas.filter((schema) => !ids.includes(schema['schema-id'])),
  });
}

const version3Types = /^(unknown|variant|timestamp_ns|timestamptz_ns|geometry|geography)/;
const version2Types =
  /^(boolean|int|long|float|double|date|time|timestamp|timestamptz|string|uuid|binary|fixed\[\d+\]|decimal\(\s*\d+\s*,\s*\d+\s*\))$/;

/** Reads a schema from a request, with the checks of Iceberg's own `Schema`. @throws CatalogError 400 */
export function readSchema(json: JsonObject, formatVersion: number): Schema {
  if (json['type'] !== 'struct') throw badRequest('Cannot parse schema: its type is not "struct"');
  checkType(json, formatVersion);
  const schema = json as unknown as Schema;
  const index = indexById(schema);
  for (const id of schema['identifier-field-ids'] ?? []) {
    const field = index.get(id);
    if (!field) throw badRequest(`Cannot add identifier field ${id}: no such field`);
    if (!field.required || typeof field.type !== 'string') {
      throw badRequest(`Cannot add identifier field "${field.name}": it is not a required primitive`);
    }
  }
  const ids = allIds(schema);
  if (index.size < ids.length) throw badRequest('Cannot parse schema: a field ID is used more than once');
  return schema;
}

function checkType(type: unknown, formatVersion: number): void {
  if (typeof type === 'string') {
    if (version2Types.test(type) || (formatVersion >= 3 && version3Types.test(type))) return;
    throw badRequest(`Invalid type for a v${formatVersion} schema: "${type}"`);
  }
  const nested = isObject(type) ? type : {};
  switch (nested['type']) {
    case 'struct':
      checkFields(readObjects(nested, 'fields'), formatVersion);
      break;
    case 'list':
      readInt(nested, 'element-id');
      checkType(nested['element'], formatVersion);
      break;
    case 'map':
      for (const id of ['key-id', 'value-id']) readInt(nested, id);
      for (const side of ['key', 'value']) checkType(nested[side], formatVersion);
      break;
    default:
      throw badRequest(`Cannot parse type: ${JSON.stringify(type)}`);
  }
}

function checkFields(fields: readonly JsonObject[], formatVersion: number): void {
  const names = new Set<unknown>();
  for (const field of fields) {
    readInt(field, 'id');
    const name = field['name'];
    if (typeof name !== 'string') throw badRequest('Cannot parse schema: a field has no name');
    if (names.has(name)) throw invalid(`Invalid schema: multiple fields for name "${name}"`);
    names.add(name);
    if (typeof field['required'] !== 'boolean')
      throw badRequest(`Cannot parse "required" of field "${name}"`);
    if (formatVersion < 3 && (field['initial-default'] ?? null) !== null) {
      throw badRequest(`Invalid initial default for "${name}": non-null default is not supported until v3`);
    }
    checkType(field['type'], formatVersion);
  }
}

function allIds(type: Type): readonly number[] {
  if (typeof type === 'string') return [];
  if (type.type === 'struct') return type.fields.flatMap((field) => [field.id, ...allIds(field.type)]);
  if (type.type === 'list') return [type['element-id'], ...allIds(type.element)];
  return [type['key-id'], type['value-id'], ...allIds(type.key), ...allIds(type.value)];
}

/** The identity of a schema: everything but its ID, the order of JSON keys and white space in types. */
function comparable(schema: Schema): unknown {
  const identifiers = [...(schema['identifier-field-ids'] ?? [])].sort((a, b) => a - b);
  return { fields: comparableType(schema as StructType), identifiers };
}

function comparableType(type: Type): unknown {
  if (typeof type === 'string') return type.replaceAll(/\s/g, '');
  if (type.type === 'struct')
    return type.fields.map((field) => ({ ...field, type: comparableType(field.type) }));
  if (type.type === 'list') return { ...type, element: comparableType(type.element) };
  return { ...type, key: comparableType(type.key), value: comparableType(type.value) };
}
