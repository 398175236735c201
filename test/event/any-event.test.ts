import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../lib/event/decode-event.ts';

/** Notifications whose members are of any type and any of which may be absent. */
const anything = fc.anything({ maxDepth: 3, withBigInt: false });
const member = fc.oneof(
  fc.jsonValue(),
  fc.string(),
  fc.constantFrom('ObjectCreated:Put', '2.1', 'a+b%20', '%E9'),
);
const object = fc.record({ key: member, size: member, eTag: member, etag: member }, { requiredKeys: [] });
const s3 = fc.record({
  bucket: fc.oneof(member, fc.record({ name: member })),
  object: fc.oneof(member, object),
});
const notification = fc.oneof(
  fc.record({
    Records: fc.array(fc.record({ eventVersion: member, eventName: member, s3 }, { requiredKeys: [] })),
  }),
  fc.record({ v: fc.oneof(fc.constant(1), member), segments: fc.oneof(fc.array(object), member) }),
  fc.record({ source: fc.oneof(fc.constant('aws.s3'), member), 'detail-type': member, detail: s3 }),
  fc.record({ specversion: member, type: member, data: fc.oneof(member, object) }),
  fc.record({ message: fc.record({ data: member, attributes: member }, { requiredKeys: [] }) }),
  fc.record({ Type: member, Message: member }),
  fc.jsonValue(),
);

describe('decodeEvent: events of any shape', () => {
  it('never fails, and says something of each message', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(notification, fc.string()), { minLength: 1 }), (bodies) => {
        const { messages } = decodeEvent({
          Records: bodies.map((body, n) => ({
            messageId: `m-${n}`,
            eventSource: 'aws:sqs',
            body: typeof body === 'string' ? body : JSON.stringify(body),
          })),
        });
        expect(messages.map(({ messageId }) => messageId)).toEqual(bodies.map((_, n) => `m-${n}`));
        for (const { references, ignored, rejected } of messages) {
          expect(references.length + ignored.length + rejected.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('never fails for an event without a queue', () => {
    fc.assert(
      fc.property(fc.oneof(notification, anything), (event) => {
        expect(decodeEvent(event).messages).toHaveLength(1);
      }),
    );
  });
});
