import type { Dataset } from './dataset.ts';
import { events } from './events.ts';
import { orders } from './orders.ts';
import { telemetry } from './telemetry.ts';

/** What the made-up shipper captures. */
export const datasets: readonly Dataset[] = [telemetry, events, orders];
