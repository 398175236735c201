/** `s3a://` and `s3n://` are spellings of `s3://` (cases.md D15): for comparison only. */
export function plainSpelling(uri: string): string {
  return uri.replace(/^s3[an]:\/\//, 's3://');
}
