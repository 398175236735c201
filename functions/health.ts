import middy from '@middy/core';
import { healthEvent } from '../lib/wire/functions.ts';

/**
 * Called on a schedule: writes one log line per table and one for all tables (available, fresh, healthy), which are also metrics.
 * Called with `{doctor}`: returns `{findings}`.
 */
export const handler = middy(healthEvent);
