import { quoteText } from './canonical-sql.ts';

/** Where a table's files and its catalog are, as an engine outside needs it. */
export interface Lake {
  readonly catalogUri: string;
  readonly s3Endpoint: string;
  readonly bucket: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** `s3(…)` of ClickHouse over some objects of the lake; `uris` are `s3://bucket/key`. */
export function avroFilesSql(lake: Lake, uris: readonly string[]): string {
  const keys = uris.map((uri) => uri.slice(`s3://${lake.bucket}/`.length));
  const [accessKey, secret] = [lake.credentials.accessKeyId, lake.credentials.secretAccessKey].map(quoteText);
  return `s3(${quoteText(`${lake.s3Endpoint}/${lake.bucket}/{${keys.join(',')}}`)}, ${accessKey}, ${secret}, 'Avro')`;
}
