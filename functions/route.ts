import middy from '@middy/core';
import { routeEvent } from '../lib/wire.ts';

/** arrivals (standard queue) → references grouped by table → registrations.fifo (`ReportBatchItemFailures`). */
export const handler = middy(routeEvent);
