/**
 * The number that Iceberg's writers give a metadata file, one more than that of the file it follows: `00042-{uuid}.metadata.json`, possibly
 * gzipped, with more digits from 100,000 on. Undefined for files that are named otherwise (SeaweedFS: `v1.metadata.json`).
 */
export function metadataVersion(uri: string): number | undefined {
  const digits = /\/(\d+)-[^/]+\.metadata\.json$/.exec(uri)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
