import type { Schema } from '../spec/schema.ts';
import type { Upload } from './upload-order.ts';

/** What the merge asks of a segment. */
export interface SegmentSchema extends Upload {
  readonly schema: Schema;
  /** `names`: the file has no field IDs, those of `schema` are provisional. */
  readonly idsFrom: 'file' | 'names';
  /** IDs of columns without a null in any row group, where the column around them is there (cases.md A30). */
  readonly provenNonNull: ReadonlySet<number>;
}
