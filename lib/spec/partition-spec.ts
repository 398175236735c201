/** A partition spec in the JSON form of the table spec (Appendix C). */
export interface PartitionSpec {
  readonly 'spec-id': number;
  readonly fields: readonly PartitionField[];
}

/** The first ID of a partition field. Old v1 tables do not write the IDs. */
export const FIRST_PARTITION_FIELD_ID = 1000;

export interface PartitionField {
  readonly 'source-id': number;
  /** Written in v3 for transforms of several columns, which are not supported. */
  readonly 'source-ids'?: readonly number[];
  readonly 'field-id': number;
  readonly name: string;
  /** `identity`, `bucket[16]`, `truncate[4]`, `year`, `month`, `day`, `hour`, `void`, … */
  readonly transform: string;
}

/** One value of a partition tuple in its Iceberg single-value bytes (spec, Appendix D); null is null. */
export type PartitionValue = Uint8Array | null;
