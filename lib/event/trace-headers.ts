/** The trace headers (`AWSTraceHeader`) that the senders of a batch's messages set, where they set one. */
export function traceHeadersOf(event: unknown): readonly string[] {
  const records = (event as { readonly Records?: unknown } | null | undefined)?.Records;
  if (!Array.isArray(records)) return [];
  return records.flatMap((record: { readonly attributes?: { readonly AWSTraceHeader?: unknown } } | null) => {
    const header = record?.attributes?.AWSTraceHeader;
    return typeof header === 'string' ? [header] : [];
  });
}
