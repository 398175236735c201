import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Entry } from '../config/entry.ts';
import { RegistrarError } from '../errors.ts';
import type { Clock } from '../ports.ts';
import { awsFault } from './aws-client.ts';
import type { Authorization } from './rest-catalog/authorization.ts';
import type { AwsCredentials } from './s3/signed-request.ts';
import { Sha256 } from './sha256.ts';

/**
 * AWS Signature Version 4 for Glue, S3 Tables and catalogs behind API Gateway (`execute-api`). In the canonical request the path is encoded
 * once more (F14): `%1F` is signed as `%251F`.
 *
 * @param credentials called before every request; by default the SDK's, which are those of the function's role
 */
export function awsSignature(
  { region, service }: NonNullable<Entry['catalog_sigv4']>,
  clock: Clock,
  credentials: () => Promise<AwsCredentials> = defaultProvider(),
): Authorization {
  const signer = new SignatureV4({
    region,
    service,
    credentials: async () => {
      try {
        return await credentials();
      } catch (error) {
        throw new RegistrarError(
          'auth.failed',
          `Cannot sign requests for AWS: ${awsFault(error).message}; give the function a role`,
        );
      }
    },
    sha256: Sha256,
  });

  return {
    async authorize({ method, origin, path, headers, body }) {
      const url = new URL(`${origin}${path}`);
      const request = {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: path.replace(/\?.*$/s, ''),
        query: queryOf(url),
        headers: { ...headers, host: url.host },
        body,
      };
      const signed = await signer.sign(request, { signingDate: new Date(clock.now()) });
      return Object.fromEntries(Object.entries(signed.headers).filter(([name]) => name !== 'host'));
    },
    renew: async () => false,
  };
}

function queryOf({ searchParams }: URL): Record<string, string[]> {
  return Object.fromEntries([...new Set(searchParams.keys())].map((key) => [key, searchParams.getAll(key)]));
}
