/** The AWS region and service to sign requests for; the service is `glue`, `s3tables` or `execute-api`. */
export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

/**
 * A host of AWS: service, then region. Interface endpoints (`vpce-….glue.eu-west-1.vpce.amazonaws.com`) and FIPS and dual-stack
 * endpoints sign for the same service and region as the plain one.
 */
const AWS_HOST = /(?:^|\.)([\w-]+?)(?:-fips)?\.([\w-]+)\.(?:(?:vpce\.)?amazonaws\.com(?:\.cn)?|api\.aws)$/;

/**
 * Region and service as configured, else from the warehouse's ARN (`arn:aws:s3tables:us-east-1:…`), else from the catalog's
 * host (`glue.us-east-1.amazonaws.com`); undefined if none of them has the region.
 */
export function signingScope(
  configured: Partial<SigningScope>,
  catalogUri: string,
  warehouse = '',
): SigningScope | undefined {
  const arn = /^arn:[^:]+:([^:]+):([^:]+):/.exec(warehouse);
  const host = AWS_HOST.exec(URL.parse(catalogUri)?.hostname ?? '');
  const region = configured.region ?? arn?.[2] ?? host?.[2];
  const service = configured.service ?? host?.[1] ?? arn?.[1] ?? 'glue';
  return region === undefined ? undefined : { region, service };
}
