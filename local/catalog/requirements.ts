import type { JsonObject } from '../../lib/spec/json-object.ts';
import { badRequest, commitFailed } from './catalog-error.ts';
import { readInt, readLong, readText, sameLong } from './request-fields.ts';
import type { TableMetadata } from './table-metadata.ts';

/**
 * Enforces one requirement of a commit to an existing table, with the messages of Iceberg's own `UpdateRequirement`.
 * @throws CatalogError 409 when it does not hold, 400 when it is unknown
 */
export function checkRequirement(requirement: JsonObject, metadata: TableMetadata): void {
  const type = readText(requirement, 'type');
  if (type === 'assert-create') throw commitFailed('Requirement failed: table already exists');
  if (type === 'assert-ref-snapshot-id') checkRef(requirement, metadata);
  else if (type === 'assert-table-uuid') checkUuid(requirement, metadata);
  else checkId(type, requirement, metadata);
}

/** For each assertion the ID of the table that it checks, its name in requests and its name in messages. */
const assertedIds: Readonly<Record<string, readonly [sent: string, attribute: string, what: string]>> = {
  'assert-last-assigned-field-id': ['last-assigned-field-id', 'last-column-id', 'last assigned field id'],
  'assert-current-schema-id': ['current-schema-id', 'current-schema-id', 'current schema'],
  'assert-last-assigned-partition-id': [
    'last-assigned-partition-id',
    'last-partition-id',
    'last assigned partition id',
  ],
  'assert-default-spec-id': ['default-spec-id', 'default-spec-id', 'default partition spec'],
  'assert-default-sort-order-id': ['default-sort-order-id', 'default-sort-order-id', 'default sort order'],
};

function checkId(type: string, requirement: JsonObject, metadata: TableMetadata): void {
  const asserted = assertedIds[type];
  if (!asserted) throw badRequest(`Cannot parse update requirement: unknown type "${type}"`);
  const [sent, attribute, what] = asserted;
  const expected = readInt(requirement, sent);
  const actual = metadata[attribute];
  if (expected === actual) return;
  throw commitFailed(`Requirement failed: ${what} changed: expected id ${expected} != ${actual}`);
}

function checkUuid(requirement: JsonObject, metadata: TableMetadata): void {
  const expected = readText(requirement, 'uuid');
  const actual = metadata['table-uuid'];
  if (expected.toLowerCase() === actual.toLowerCase()) return;
  throw commitFailed(`Requirement failed: UUID does not match: expected ${actual} != ${expected}`);
}

function checkRef(requirement: JsonObject, metadata: TableMetadata): void {
  const name = readText(requirement, 'ref');
  const ref = metadata.refs[name];
  const expected = requirement['snapshot-id'] === null ? null : readLong(requirement, 'snapshot-id');
  if (!ref) {
    if (expected === null) return;
    throw commitFailed(`Requirement failed: branch or tag ${name} is missing, expected ${expected}`);
  }
  if (expected === null)
    throw commitFailed(`Requirement failed: ${ref.type} ${name} was created concurrently`);
  if (!sameLong(expected, ref['snapshot-id'])) {
    throw commitFailed(
      `Requirement failed: ${ref.type} ${name} has changed: expected id ${expected} != ${ref['snapshot-id']}`,
    );
  }
}
