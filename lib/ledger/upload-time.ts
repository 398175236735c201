const OLDEST_UPLOAD = 'iceberg-registrar.oldest-upload-ms';

/**
 * When the oldest segment of a registration was uploaded (its Last-Modified, in milliseconds), in the summary of its snapshot: how long
 * uploads wait for their commit is told by the table itself.
 */
export function uploadSummary(uploadedMs: readonly number[]): Record<string, string> {
  return { [OLDEST_UPLOAD]: String(uploadedMs.reduce((oldest, ms) => Math.min(oldest, ms))) };
}

/** Undefined where the snapshot is of somebody else, of a backfill, or of a release that did not say it. */
export function oldestUploadMs(summary: Readonly<Record<string, string>>): number | undefined {
  const text = summary[OLDEST_UPLOAD];
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
