import middy from '@middy/core';
import { registerEvent } from '../lib/wire.ts';

/** registrations.fifo → one snapshot a table → the messages to hand back (`ReportBatchItemFailures`). */
export const handler = middy(registerEvent);
