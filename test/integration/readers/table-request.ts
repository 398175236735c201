import type { TableIdentifier } from '../../../lib/spec/table-identifier.ts';
import type { CatalogService } from '../services/service.ts';

/** Which table, and what of it. */
export interface TableRequest extends TableIdentifier {
  readonly catalog: CatalogService;
  /** An earlier snapshot; the current one by default. */
  readonly snapshotId?: string;
  /** Top-level columns; all by default. */
  readonly select?: readonly string[];
  /** A predicate in the engine's own SQL, such as `id > 3`. */
  readonly filter?: string;
}
