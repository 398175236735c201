import { finished } from 'node:stream/promises';
import type { Pool } from 'undici';
import { awsSignature } from '../../../lib/drivers/aws-signature.ts';
import { systemClock } from '../../../lib/drivers/platform.ts';

/** A signed request, ready to be sent. */
export interface ReadyRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface StoreAccess {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Makes requests to a store for objects whose keys need no escaping. */
export function storeRequests({ endpoint, region, accessKeyId, secretAccessKey }: StoreAccess) {
  const signature = awsSignature({ region, service: 's3' }, systemClock, async () => {
    return { accessKeyId, secretAccessKey };
  });
  const ready = async (request: ReadyRequest): Promise<ReadyRequest> => ({
    ...request,
    headers: await signature.authorize({ ...request, origin: endpoint }),
  });
  return {
    getEnd: (uri: string, bytes: number): Promise<ReadyRequest> =>
      ready({ method: 'GET', path: pathOf(uri), headers: { range: `bytes=-${bytes}` } }),
    put: (uri: string, bytes: Uint8Array): Promise<ReadyRequest> =>
      ready({ method: 'PUT', path: pathOf(uri), headers: {}, body: Buffer.from(bytes) }),
  };
}

/** Sends a request and drains its answer unread. @throws Error for any answer but 2xx */
export async function send(pool: Pool, { method, path, headers, body }: ReadyRequest): Promise<void> {
  const answer = await pool.request({ method, path, headers, body: body ?? null });
  await finished(answer.body.resume());
  if (answer.statusCode >= 300) throw new Error(`${method} "${path}" was answered with ${answer.statusCode}`);
}

/** With the bucket in the path. */
function pathOf(uri: string): string {
  return uri.slice('s3:/'.length);
}
