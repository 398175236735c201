/** The store's use of the AWS SDK: listings, and what only the SDK can find out. Bundled separately and loaded when needed. */
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { StoreSettings } from '../../config/entry.ts';
import { RegistrarError } from '../../errors.ts';
import type { ListedObject } from '../../ports.ts';
import { withoutEndSlashes } from '../../spec/object-uri.ts';
import { awsError, awsFault } from '../aws-client.ts';
import { awsClientConfig } from '../aws-client-config.ts';
import { type BucketEndpoint, parseS3Uri } from './address.ts';
import { lastModifiedOf, versionOf } from './object-headers.ts';
import type { AwsCredentials } from './signed-request.ts';

export interface S3Sdk {
  list(prefix: string, options?: { readonly startAfter?: string }): AsyncGenerator<ListedObject>;
  /** Credentials as the SDK finds them: environment, profile, container, instance. Renewed before they expire. */
  credentials(): Promise<AwsCredentials>;
  region(): Promise<string>;
  /** The target by the SDK's own rules: access points, FIPS and dual stack, profiles, every partition. */
  endpointOf(bucket: string, region: string): Promise<BucketEndpoint>;
}

export function s3Sdk(settings: StoreSettings): S3Sdk {
  const client = new S3Client({
    ...awsClientConfig(settings),
    forcePathStyle: settings.path_style ?? settings.endpoint !== undefined,
    followRegionRedirects: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const { config } = client;

  async function* list(
    prefix: string,
    options: { readonly startAfter?: string } = {},
  ): AsyncGenerator<ListedObject> {
    const { bucket, key } = parseS3Uri(prefix);
    const after = options.startAfter === undefined ? {} : { StartAfter: parseS3Uri(options.startAfter).key };
    let token: string | undefined;
    do {
      const page = await client
        .send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: key,
            EncodingType: 'url',
            ...(settings.requester_pays && { RequestPayer: 'requester' }),
            ...(token === undefined ? after : { ContinuationToken: token }),
          }),
        )
        .catch((error: unknown) => {
          throw awsError('store.unavailable', `list "${prefix}"`, awsFault(error), 's3:ListBucket');
        });
      const decode = page.EncodingType === 'url' ? decodeListedKey : (listed: string) => listed;
      for (const { Key, Size, ETag, LastModified } of page.Contents ?? []) {
        if (Key === undefined) continue;
        const uri = `s3://${bucket}/${decode(Key)}`;
        yield {
          uri,
          sizeBytes: Size ?? 0,
          version: versionOf(uri, ETag),
          lastModifiedMs: lastModifiedOf(uri, LastModified?.getTime()),
        };
      }
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  return {
    list,
    credentials: () => config.credentials(),
    region: () => config.region(),
    async endpointOf(bucket, region) {
      const { url, properties } = config.endpointProvider({
        Bucket: bucket,
        Region: region,
        ForcePathStyle: settings.path_style ?? false,
        UseFIPS: await config.useFipsEndpoint(),
        UseDualStack: await config.useDualstackEndpoint(),
        ...(config.endpoint && { Endpoint: addressOf(await config.endpoint()) }),
      });
      const schemes = (properties?.['authSchemes'] ?? []) as readonly { readonly name: string }[];
      if (schemes.every(({ name }) => name === 'sigv4')) {
        return { origin: url.origin, basePath: `${withoutEndSlashes(url.pathname)}/` };
      }
      throw new RegistrarError(
        'config.invalid',
        `Cannot use the bucket "${bucket}": it wants signatures of another kind (${schemes.map(({ name }) => name).join(', ')}); use a general purpose bucket`,
      );
    },
  };
}

function addressOf(endpoint: {
  protocol: string;
  hostname: string;
  port?: number | undefined;
  path: string;
}) {
  const { protocol, hostname, port, path } = endpoint;
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`;
}

/** `encoding-type=url` is form encoding: a space is `+`. */
function decodeListedKey(key: string): string {
  return decodeURIComponent(key.replaceAll('+', ' '));
}
