import middy from '@middy/core';
import { reconcileEvent } from '../lib/wire.ts';

/**
 * `{dataset, since, startAfter}` on a schedule → enqueues what is in the store but in no snapshot; `{datasets, totals, next}`.
 */
export const handler = middy(reconcileEvent);
