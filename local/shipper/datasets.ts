import type { Dataset } from './dataset.ts';
import { events } from './events.ts';
import { orders } from './orders.ts';
import { telemetry } from './telemetry.ts';

/** The datasets of the synthetic shipper. */
export const datasets: readonly Dataset[] = [telemetry, events, orders];
