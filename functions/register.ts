import middy from '@middy/core';
import { connectEarly, registerEvent } from '../lib/wire/functions.ts';

connectEarly();

/** registrations.fifo → one snapshot per table → the messages to deliver again (`ReportBatchItemFailures`). */
export const handler = middy(registerEvent);
