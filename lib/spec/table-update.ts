import type { PartitionSpec } from './partition-spec.ts';
import type { Schema } from './schema.ts';

/** What a commit asserts (REST OpenAPI, `TableRequirement`). Field names are those of the wire. */
export type TableRequirement =
  | { readonly type: 'assert-create' }
  | { readonly type: 'assert-table-uuid'; readonly uuid: string }
  | { readonly type: 'assert-ref-snapshot-id'; readonly ref: string; readonly 'snapshot-id': bigint | null }
  | { readonly type: 'assert-last-assigned-field-id'; readonly 'last-assigned-field-id': number }
  | { readonly type: 'assert-current-schema-id'; readonly 'current-schema-id': number }
  | { readonly type: 'assert-last-assigned-partition-id'; readonly 'last-assigned-partition-id': number }
  | { readonly type: 'assert-default-spec-id'; readonly 'default-spec-id': number }
  | { readonly type: 'assert-default-sort-order-id'; readonly 'default-sort-order-id': number };

/** A snapshot as a commit sends it (spec, "Snapshots"). */
export interface SnapshotUpdate {
  readonly 'snapshot-id': bigint;
  /** Left out if there is none: Java's parser fails on null. */
  readonly 'parent-snapshot-id'?: bigint;
  readonly 'sequence-number': bigint;
  readonly 'timestamp-ms': bigint;
  readonly 'manifest-list': string;
  readonly summary: Readonly<Record<string, string>>;
  readonly 'schema-id': number;
  readonly 'first-row-id'?: bigint;
  readonly 'added-rows'?: bigint;
}

/** What a commit changes (REST OpenAPI, `TableUpdate`), as far as this project sends it. */
export type TableUpdate =
  | { readonly action: 'assign-uuid'; readonly uuid: string }
  | { readonly action: 'upgrade-format-version'; readonly 'format-version': number }
  | { readonly action: 'add-schema'; readonly schema: Schema; readonly 'last-column-id': number }
  | { readonly action: 'set-current-schema'; readonly 'schema-id': number }
  | { readonly action: 'add-spec'; readonly spec: PartitionSpec }
  | { readonly action: 'set-default-spec'; readonly 'spec-id': number }
  | {
      readonly action: 'add-sort-order';
      readonly 'sort-order': { readonly 'order-id': number; readonly fields: readonly [] };
    }
  | { readonly action: 'set-default-sort-order'; readonly 'sort-order-id': number }
  | { readonly action: 'set-location'; readonly location: string }
  | { readonly action: 'set-properties'; readonly updates: Readonly<Record<string, string>> }
  | { readonly action: 'remove-properties'; readonly removals: readonly string[] }
  | { readonly action: 'add-snapshot'; readonly snapshot: SnapshotUpdate }
  | ({
      readonly action: 'set-snapshot-ref';
      readonly 'ref-name': string;
      readonly type: 'branch';
      readonly 'snapshot-id': bigint;
    } & RefRetention);

/** The retention settings of a ref, sent back as loaded, since leaving them out removes them (iceberg-go#1600). */
export interface RefRetention {
  readonly 'max-ref-age-ms'?: bigint | number;
  readonly 'max-snapshot-age-ms'?: bigint | number;
  readonly 'min-snapshots-to-keep'?: number;
}

/** What one commit request asserts and changes. */
export interface TableCommit {
  readonly requirements: readonly TableRequirement[];
  readonly updates: readonly TableUpdate[];
}
