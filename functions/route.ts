import middy from '@middy/core';
import { loadEarly, routeEvent } from '../lib/wire/functions.ts';

loadEarly();

/** arrivals (standard queue) → references grouped by table → registrations.fifo (`ReportBatchItemFailures`). */
export const handler = middy(routeEvent);
