import { gcsStore } from '../../../lib/drivers/gcs.ts';
import { httpSender } from '../../../lib/drivers/http.ts';
import { systemRandom, systemTimers } from '../../../lib/drivers/platform.ts';
import { pubsubQueue } from '../../../lib/drivers/pubsub.ts';
import type { Queue, Store } from '../../../lib/ports.ts';
import type { GoogleService } from '../services/service.ts';

/** An emulator is called over http, without a token: nobody may ask for one. */
export const ports = {
  send: httpSender(),
  timers: systemTimers,
  random: systemRandom,
  accessToken: async () => {
    throw new Error('A token was asked for');
  },
};

export function storageOf({ storageEndpoint }: GoogleService): Store {
  return gcsStore({ endpoint: storageEndpoint, allow_http: true }, ports);
}

export function pubsubOf({ pubsubEndpoint }: GoogleService): Queue {
  return pubsubQueue({ endpoint: pubsubEndpoint }, ports);
}

/** Creates a topic or a subscription, or whatever else is made by a PUT of its name. */
export async function putResource(
  { pubsubEndpoint }: GoogleService,
  name: string,
  body: unknown = {},
): Promise<void> {
  const response = await fetch(`${pubsubEndpoint}/v1/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`Cannot create "${name}": ${await response.text()}`);
}
