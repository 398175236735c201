import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../lib/spec/json-object.ts';
import type { PartitionField, PartitionSpec } from '../../lib/spec/partition-spec.ts';
import { indexById } from '../../lib/spec/schema.ts';
import { badRequest, invalid } from './catalog-error.ts';
import { addedAgain, change, type Draft, lastAdded } from './draft.ts';
import { readInt, readLongs, readObject, readObjects, readText } from './request-fields.ts';
import { currentSchema, type SortOrderJson, type TableMetadata } from './table-metadata.ts';

/** `add-spec`: fields without an ID get the next ones. A spec equal to an existing one becomes that one. */
export function addSpec(draft: Draft, update: JsonObject): Draft {
  const { metadata } = draft;
  const fields = readPartitionFields(readObject(update, 'spec'), metadata);
  const specs = metadata['partition-specs'];
  const equal = specs.find((spec) => isDeepStrictEqual(spec.fields, fields));
  if (equal) return { ...draft, lastAddedSpecId: addedAgain(draft.lastAddedSpecId, equal['spec-id']) };
  const id = Math.max(-1, ...specs.map((spec) => spec['spec-id'])) + 1;
  const added = change(draft, {
    'partition-specs': [...specs, { 'spec-id': id, fields }],
    'last-partition-id': Math.max(metadata['last-partition-id'], ...fields.map((field) => field['field-id'])),
  });
  return { ...added, lastAddedSpecId: id };
}

export function setDefaultSpec(draft: Draft, update: JsonObject): Draft {
  const id = lastAdded(readInt(update, 'spec-id'), draft.lastAddedSpecId, 'partition spec');
  if (!draft.metadata['partition-specs'].some((spec) => spec['spec-id'] === id)) {
    throw badRequest(`Cannot set default partition spec to unknown spec: ${id}`);
  }
  return change(draft, { 'default-spec-id': id });
}

export function removeSpecs(draft: Draft, update: JsonObject): Draft {
  const ids = readLongs(update, 'spec-ids').map(Number);
  if (ids.includes(draft.metadata['default-spec-id']))
    throw badRequest('Cannot remove the default partition spec');
  const specs = draft.metadata['partition-specs'].filter((spec) => !ids.includes(spec['spec-id']));
  return change(draft, { 'partition-specs': specs });
}

/** `add-sort-order`: the unsorted order has ID 0, others are numbered from 1. */
export function addSortOrder(draft: Draft, update: JsonObject): Draft {
  const order = readObject(update, 'sort-order');
  const fields = readObjects(order, 'fields');
  const orders = draft.metadata['sort-orders'];
  const equal = orders.find((one) => isDeepStrictEqual(one.fields, fields));
  if (equal)
    return { ...draft, lastAddedSortOrderId: addedAgain(draft.lastAddedSortOrderId, equal['order-id']) };
  const id = fields.length === 0 ? 0 : Math.max(0, ...orders.map((one) => one['order-id'])) + 1;
  const added: SortOrderJson = { ...order, 'order-id': id, fields };
  return { ...change(draft, { 'sort-orders': [...orders, added] }), lastAddedSortOrderId: id };
}

export function setDefaultSortOrder(draft: Draft, update: JsonObject): Draft {
  const id = lastAdded(readInt(update, 'sort-order-id'), draft.lastAddedSortOrderId, 'sort order');
  if (!draft.metadata['sort-orders'].some((order) => order['order-id'] === id)) {
    throw badRequest(`Cannot set default sort order to unknown sort order: ${id}`);
  }
  return change(draft, { 'default-sort-order-id': id });
}

/** Reads the fields of a spec for the current schema. @throws CatalogError 400 for a source column that the schema does not have */
function readPartitionFields(spec: JsonObject, metadata: TableMetadata): PartitionSpec['fields'] {
  const schema = currentSchema(metadata) ?? metadata.schemas.at(-1);
  const columns = schema ? indexById(schema) : new Map();
  let lastId = metadata['last-partition-id'];
  return readObjects(spec, 'fields').map((field): PartitionField => {
    const sourceId = readInt(field, 'source-id');
    if (!columns.has(sourceId)) throw invalid(`Cannot find source column for partition field: ${sourceId}`);
    return {
      'source-id': sourceId,
      'field-id': field['field-id'] === undefined ? ++lastId : readInt(field, 'field-id'),
      name: readText(field, 'name'),
      transform: readText(field, 'transform'),
    };
  });
}
