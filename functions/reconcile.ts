import middy from '@middy/core';
import { reconcileEvent } from '../lib/wire.ts';

/** `{dataset, since, startAfter}` on a schedule → what lies in the store and in no snapshot is enqueued; `{datasets, totals, next}`. */
export const handler = middy(reconcileEvent);
