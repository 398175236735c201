import { RegistrarError } from '../errors.ts';

/** One way in which a segment does not fit its table. */
export interface Violation {
  /** The names from the root; empty if it concerns the segment as a whole. */
  readonly path: readonly string[];
  readonly fieldId: number | undefined;
  /** What differs, the rule and the way out. */
  readonly problem: string;
}

/** The error for one segment, with one line per violation. */
export function schemaMismatch(uri: string, table: string, violations: readonly Violation[]): RegistrarError {
  const lines = violations.map(({ path, fieldId, problem }) =>
    fieldId === undefined ? `- ${problem}` : `- column "${path.join('.')}" (${fieldId}): ${problem}`,
  );
  return new RegistrarError(
    'sink.iceberg_schema_mismatch',
    `Cannot append "${uri}" to table "${table}": its schema does not fit, and the table stays as it is\n${lines.join('\n')}`,
    { context: { uri, table } },
  );
}
