import { SQSClient } from '@aws-sdk/client-sqs';
import { RegistrarError } from '../errors.ts';
import { queueRegion } from '../spec/queue-url.ts';
import { type AwsSettings, awsClientConfig } from './aws-client-config.ts';

/**
 * A client for the queue with this URL. A queue of AWS's regional endpoint is asked where the SDK is told to (`AWS_USE_FIPS_ENDPOINT`,
 * `AWS_USE_DUALSTACK_ENDPOINT`); any other at its own host, such as an interface endpoint.
 *
 * @throws `config.invalid` if it is no URL
 */
export function sqsClient(queueUrl: string, settings: AwsSettings = {}): SQSClient {
  const url = URL.parse(queueUrl);
  if (url === null) {
    throw new RegistrarError(
      'config.invalid',
      `Cannot use the queue "${queueUrl}": a queue is named by its URL, https://sqs.{region}.amazonaws.com/{account}/{name}, a topic of Pub/Sub as projects/{project}/topics/{topic}`,
    );
  }
  const isRegional = /^sqs\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/.test(url.hostname);
  const endpoint = settings.endpoint ?? (isRegional ? undefined : url.origin);
  const region = settings.region ?? queueRegion(queueUrl);
  return new SQSClient({
    ...awsClientConfig({
      ...settings,
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
    }),
    useQueueUrlAsEndpoint: false,
  });
}
