import middy from '@middy/core';
import { reconcileEvent } from '../lib/wire/functions.ts';

/**
 * Called on a schedule with `{dataset, since, startAfter}`, all optional: enqueues what is in the store but in no snapshot, and
 * returns `{datasets, totals, next}`.
 */
export const handler = middy(reconcileEvent);
