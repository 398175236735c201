const OLDEST_UPLOAD = 'iceberg-registrar.oldest-upload-ms';

/**
 * Records in a registration's snapshot summary when its oldest segment was uploaded (Last-Modified, in milliseconds), so that
 * the table itself tells how long uploads wait for their commit.
 */
export function uploadSummary(uploadedMs: readonly number[]): Record<string, string> {
  return { [OLDEST_UPLOAD]: String(uploadedMs.reduce((oldest, ms) => Math.min(oldest, ms))) };
}

/** Undefined for snapshots of other writers, of a backfill, or of a release that did not record it. */
export function oldestUploadMs(summary: Readonly<Record<string, string>>): number | undefined {
  const text = summary[OLDEST_UPLOAD];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
