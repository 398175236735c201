import type { PrimitiveType } from '../lib/spec/schema.ts';
import type { Canonical } from '../test/integration/readers/canonical.ts';

/** A predicate on one column. Values are in the readers' canonical spelling, and have the column's type. */
export type Predicate = { readonly column: string; readonly type: PrimitiveType } & (
  | { readonly op: '=' | '<' | '>='; readonly value: Canonical }
  | { readonly op: 'in'; readonly values: readonly Canonical[] }
  | { readonly op: 'is null' | 'is not null' }
  /** LIKE 'prefix%', on strings. */
  | { readonly op: 'starts with'; readonly value: string }
);
