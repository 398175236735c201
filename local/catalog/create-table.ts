import { isObject, type JsonObject } from '../../lib/spec/json-object.ts';
import { withoutEndSlashes } from '../../lib/spec/object-uri.ts';
import { badRequest } from './catalog-error.ts';
import { applyCreation } from './commit.ts';
import { withFreshIds } from './fresh-ids.ts';
import { readInt, readObject, readObjects, readTextMap } from './request-fields.ts';
import { readSchema } from './schema-updates.ts';
import type { TableMetadata } from './table-metadata.ts';

/**
 * The metadata of the table that a `CreateTableRequest` describes, with newly assigned field IDs, partition field IDs and schema ID, and
 * without `format-version` among the properties. @throws CatalogError 400
 */
export function createMetadata(
  request: JsonObject,
  at: { readonly location: string; readonly nowMs: number; readonly uuid: string },
): TableMetadata {
  const { 'format-version': version = '2', ...properties } = isObject(request['properties'])
    ? readTextMap(request, 'properties')
    : {};
  const formatVersion = Number(version);
  const { schema, newId } = withFreshIds(readSchema(readObject(request, 'schema'), formatVersion));
  const renumbered = (part: string): readonly JsonObject[] => {
    if (!isObject(request[part])) return [];
    return readObjects(readObject(request, part), 'fields').map(({ 'field-id': _old, ...field }) => {
      const sourceId = newId.get(readInt(field, 'source-id'));
      if (sourceId === undefined)
        throw badRequest(`Cannot find source column ${field['source-id']} of ${part}`);
      return { ...field, 'source-id': sourceId };
    });
  };
  const order = isObject(request['write-order']) ? request['write-order'] : {};
  const updates = [
    { action: 'upgrade-format-version', 'format-version': formatVersion },
    { action: 'add-schema', schema },
    { action: 'set-current-schema', 'schema-id': -1 },
    { action: 'add-spec', spec: { fields: renumbered('partition-spec') } },
    { action: 'set-default-spec', 'spec-id': -1 },
    { action: 'add-sort-order', 'sort-order': { ...order, fields: renumbered('write-order') } },
    { action: 'set-default-sort-order', 'sort-order-id': -1 },
    { action: 'set-location', location: withoutEndSlashes(at.location) },
    { action: 'set-properties', updates: properties },
  ];
  return applyCreation({ updates }, at);
}
