import type { OutgoingMessage } from '../ports.ts';

/** A message, and its place among those that are sent. */
export interface IndexedMessage {
  readonly index: number;
  readonly message: OutgoingMessage;
}

/** Splits messages, in order, into batches that a queue accepts in one request. A message larger than a batch may be is sent alone. */
export function* messageBatches(
  messages: readonly OutgoingMessage[],
  most: { readonly messages: number; readonly bytes: number },
): Generator<readonly IndexedMessage[]> {
  let batch: IndexedMessage[] = [];
  let bytes = 0;
  for (const [index, message] of messages.entries()) {
    const size = Buffer.byteLength(message.body);
    if (batch.length === most.messages || (batch.length > 0 && bytes + size > most.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ index, message });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
