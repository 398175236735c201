import middy from '@middy/core';
import { healthEvent } from '../lib/wire.ts';

/**
 * On a schedule → one log line per table and one for all of them, as metrics: available, fresh, healthy. `{doctor}` →
 * `{findings}`.
 */
export const handler = middy(healthEvent);
