import { traceHeadersOf } from '../event/trace-headers.ts';
import type { Trace } from '../ports.ts';
import type { BatchResponse } from '../report/batch-response.ts';

/** Processes a batch of messages as a span linked to their senders, with the number of messages handed back. */
export function traceBatch(
  name: string,
  event: unknown,
  trace: Trace,
  work: () => Promise<BatchResponse>,
): Promise<BatchResponse> {
  return trace({ name, traceHeaders: traceHeadersOf(event) }, async (add) => {
    const response = await work();
    add({ 'iceberg-registrar.messages-failed': response.batchItemFailures.length });
    return response;
  });
}
