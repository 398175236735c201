import { randomUUID } from 'node:crypto';
import type { TableState } from '../../../lib/spec/table-state.ts';
import { NAMESPACE } from './lakehouse.ts';
import { measurementsSchema } from './measurements.ts';

export const LAST_COLUMN_ID = 15;
export const unpartitioned = { 'spec-id': 0, fields: [] };

/** A table of measurements before its first snapshot. */
export function emptyState(location: string): TableState {
  return {
    identifier: { namespace: [NAMESPACE], name: location.slice(location.lastIndexOf('/') + 1) },
    metadataLocation: undefined,
    formatVersion: 2,
    uuid: randomUUID(),
    location,
    lastSequenceNumber: 0n,
    lastUpdatedMs: BigInt(Date.now()),
    lastColumnId: LAST_COLUMN_ID,
    schemas: [measurementsSchema],
    currentSchema: measurementsSchema,
    specs: [unpartitioned],
    defaultSpec: unpartitioned,
    sortColumnIds: [],
    properties: {},
    snapshots: new Map(),
    refs: {},
  };
}
