/**
 * The AWS region in a queue's URL, which requests for the queue are signed for; undefined for a server that is not AWS.
 * Besides the usual host this knows interface endpoints, FIPS and dual-stack endpoints, and the legacy hosts
 * `{region}.queue.amazonaws.com` (AWS General Reference, "Amazon SQS endpoints and quotas").
 */
export function queueRegion(queueUrl: string): string | undefined {
  const host = URL.parse(queueUrl)?.hostname ?? '';
  if (host === 'queue.amazonaws.com') return 'us-east-1';
  return (
    /(?:^|\.)sqs(?:-fips)?\.([a-z0-9-]+)\.(?:(?:vpce\.)?amazonaws\.|api\.)/.exec(host)?.[1] ??
    /^([a-z0-9-]+)\.queue\.amazonaws\./.exec(host)?.[1]
  );
}

/** Whether a queue is named as Pub/Sub names topics and subscriptions: `projects/{project}/topics/{topic}`. */
export function isPubSub(queue: string): boolean {
  return queue.startsWith('projects/');
}

/** A queue on AWS. */
export interface AwsQueue {
  readonly region: string;
  readonly account: string;
  readonly name: string;
}

/** What the URL of a queue on AWS says: `https://sqs.eu-central-1.amazonaws.com/123456789012/arrivals`. Undefined for any other URL. */
export function awsQueue(queueUrl: string): AwsQueue | undefined {
  const region = queueRegion(queueUrl);
  const [, account, name] = /^\/(\d{12})\/([^/]+)$/.exec(URL.parse(queueUrl)?.pathname ?? '') ?? [];
  return region === undefined || account === undefined || name === undefined
    ? undefined
    : { region, account, name };
}
