import type { Schema } from '../spec/schema.ts';
import type { Upload } from './upload-order.ts';

/** The parts of a segment that the merge needs. */
export interface SegmentSchema extends Upload {
  readonly schema: Schema;
  /** With `names` the file has no field IDs, and those of `schema` are provisional. */
  readonly idsFrom: 'file' | 'names';
  /** IDs of columns that contain no null in any row group where their parent is present (cases.md A30). */
  readonly provenNonNull: ReadonlySet<number>;
}
