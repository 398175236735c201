/** Endpoint, region and credentials for an AWS service. The SDK finds what is missing, such as the credentials of the role. */
export interface AwsSettings {
  readonly endpoint?: string;
  readonly region?: string;
  readonly access_key_id?: string;
  readonly secret_access_key?: string;
  readonly session_token?: string;
}

/**
 * The configuration of every client of the AWS SDK: four attempts per request, 3 s to connect and 20 s for the answer. In a separate file,
 * because only code that loads the SDK needs it.
 */
export function awsClientConfig(settings: AwsSettings) {
  const { endpoint, access_key_id, secret_access_key, session_token } = settings;
  const region = settings.region ?? (endpoint === undefined ? undefined : 'us-east-1');
  return {
    // The SDK refuses to start where its environment asks for FIPS or dual-stack endpoints and another one is given.
    ...(endpoint !== undefined && { endpoint, useFipsEndpoint: false, useDualstackEndpoint: false }),
    ...(region !== undefined && { region }),
    ...(access_key_id !== undefined &&
      secret_access_key !== undefined && {
        credentials: {
          accessKeyId: access_key_id,
          secretAccessKey: secret_access_key,
          ...(session_token !== undefined && { sessionToken: session_token }),
        },
      }),
    maxAttempts: 4,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: 20_000,
      throwOnRequestTimeout: true,
      socketTimeout: 30_000,
    },
  };
}
