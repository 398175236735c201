import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../lib/event/decode-event.ts';

describe('decodeEvent: the queue', () => {
  it('carries receipt handle, group and receive count of a FIFO message', () => {
    const event = sqs(JSON.stringify({ v: 1, segments: [{ bucket: 'b', key: 'k' }] }), {
      MessageGroupId: 'g',
      ApproximateReceiveCount: '3',
    });
    expect(decodeEvent(event).messages[0]).toMatchObject({
      messageId: 'm-1',
      attributes: { receiptHandle: 'r-1', groupId: 'g', receiveCount: 3 },
      references: [{ scheme: 's3', bucket: 'b', key: 'k' }],
    });
  });

  it('E18: throws for the whole batch when one record has no messageId', () => {
    const good = { messageId: 'm', body: '{}', eventSource: 'aws:sqs' };
    const bad = { body: '{}', eventSource: 'aws:sqs' };
    expect(() => decodeEvent({ Records: [good, bad] })).toThrow(
      expect.objectContaining({ code: 'event.malformed', message: expect.stringContaining('messageId') }),
    );
  });

  it('E19: keeps the raw body of what it rejects, and says what is understood', () => {
    const message = decodeEvent(sqs('hello')).messages[0];
    expect(message?.body).toBe('hello');
    expect(message?.rejected[0]?.message).toBe(
      'Cannot read a notification: it is not JSON: "hello"; S3, SNS, EventBridge, R2, Cloud Storage, Pub/Sub and chunk messages are understood',
    );
  });

  it.each([
    ['no records', '{"Records":[]}'],
    ['records that are no list', '{"Records":{}}'],
    ['a record of another service', '{"Records":[{"eventSource":"aws:dynamodb"}]}'],
    ['an event of another source', '{"source":"my.app","detail-type":"Object Created","detail":{}}'],
    ['a hundred thousand nested lists', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a bucket with a slash, which would name another bucket', chunk({ bucket: 'a/b', key: 'k' })],
    ['a key with half a surrogate pair', chunk({ bucket: 'b', key: 'a\ud800' })],
    ['a chunk without segments', '{"v":1,"segments":[]}'],
    ['a chunk of version zero', '{"v":0,"segments":[{"bucket":"b","key":"k"}]}'],
    ['a chunk for another store', chunk({ scheme: 'ftp', bucket: 'b', key: 'k' })],
  ])('rejects %s', (_title, body) => {
    const message = decodeEvent(sqs(body)).messages[0];
    expect(message?.references).toEqual([]);
    expect(message?.rejected.map(({ code }) => code)).toEqual(['event.malformed']);
    expect(message?.rejected[0]?.message.length).toBeLessThan(400);
  });

  it('E19: quotes what it does not understand, numbers of 64 bits too', () => {
    const message = decodeEvent(sqs('{"a":[9007199254740993]}')).messages[0];
    expect(message?.rejected[0]?.message).toContain('9007199254740993');
  });

  it.each(['SubscriptionConfirmation', 'UnsubscribeConfirmation'])('E10: follows no %s', (type) => {
    const message = { Type: type, Message: 'You have chosen to subscribe', SubscribeURL: 'https://sns' };
    expect(decodeEvent(sqs(JSON.stringify(message))).messages[0]).toMatchObject({
      references: [],
      ignored: [{ reason: 'subscription-confirmation' }],
      rejected: [],
    });
  });

  it.each([
    ['Object Created', [], 1],
    ['Object Deleted', ['removed'], 0],
    ['Object Tags Added', ['not-created'], 0],
    ['Object Restore Completed', ['not-created'], 0],
  ])('E11: of EventBridge’s events, %s', (type, reasons, references) => {
    const event = {
      source: 'aws.s3',
      'detail-type': type,
      detail: { bucket: { name: 'b' }, object: { key: 'k' } },
    };
    const message = decodeEvent(sqs(JSON.stringify(event))).messages[0];
    expect(message?.ignored.map(({ reason }) => reason)).toEqual(reasons);
    expect(message?.references).toHaveLength(references);
  });

  it.each([[null], [42], ['text'], [undefined], [[]], [{}]])('rejects %j as an event of its own', (event) => {
    const { messages } = decodeEvent(event);
    expect(messages.map(({ messageId, rejected }) => [messageId, rejected[0]?.code])).toEqual([
      [null, 'event.malformed'],
    ]);
  });
});

describe('decodeEvent: chunk messages', () => {
  it('takes keys as they are, members unknown to it aside', () => {
    const segment = { scheme: 'gs', bucket: 'b', key: 'a+b%20c', size: 7, etag: 'e', versionId: '9', x: 1 };
    const [message] = decodeEvent(sqs(JSON.stringify({ v: 1, segments: [segment], nonce: 'n' }))).messages;
    expect(message?.references).toEqual([
      { scheme: 'gs', bucket: 'b', key: 'a+b%20c', sizeBytes: 7, etag: 'e', versionId: '9' },
    ]);
  });

  it('hands a newer version back to the queue, for the version that can read it', () => {
    const [message] = decodeEvent(sqs('{"v":2,"tables":[]}')).messages;
    expect(message?.rejected[0]).toMatchObject({ code: 'event.newer_version', retryable: true });
  });

  it('E27: rejects the one segment that makes no sense', () => {
    const body = JSON.stringify({ v: 1, segments: [{ bucket: 'b' }, null, { bucket: 'b', key: 'k' }] });
    const [message] = decodeEvent(sqs(body)).messages;
    expect(message?.references.map(({ key }) => key)).toEqual(['k']);
    expect(message?.rejected).toHaveLength(2);
  });
});

describe('decodeEvent: objects', () => {
  it('marks copies, by S3 and by EventBridge', () => {
    const copied = [
      s3Record('ObjectCreated:Copy', { key: 'k' }),
      JSON.stringify({
        source: 'aws.s3',
        'detail-type': 'Object Created',
        detail: { bucket: { name: 'b' }, object: { key: 'k' }, reason: 'CopyObject' },
      }),
    ].map((body) => decodeEvent(sqs(body)).messages[0]?.references[0]?.copied);
    expect(copied).toEqual([true, true]);
  });

  it('takes the quotes off an ETag, and a size that is none as not known', () => {
    const body = s3Record('ObjectCreated:Put', { key: 'k', eTag: '"abc"', size: -1 });
    expect(decodeEvent(sqs(body)).messages[0]?.references).toEqual([
      { scheme: 's3', bucket: 'b', key: 'k', etag: 'abc' },
    ]);
  });

  it('E9: takes a name that ends in a slash for a segment when it has bytes or nobody says', () => {
    const kinds = [0, 1, undefined].map((size) => {
      const body = s3Record('ObjectCreated:Put', { key: 'dir/', ...(size !== undefined && { size }) });
      return decodeEvent(sqs(body)).messages[0]?.references.length;
    });
    expect(kinds).toEqual([0, 1, 1]);
  });

  it('E9: ignores unfinished files of jobs, not names that merely begin with an underscore', () => {
    const keys = [
      'a/_temporary/0/x',
      '_temporary/x',
      'a/_SUCCESS',
      'a/__magic_job-1/x',
      'a/_SUCCESS.parquet',
      '_x/y',
    ];
    const seen = keys.map(
      (key) => decodeEvent(sqs(s3Record('ObjectCreated:Put', { key }))).messages[0]?.ignored.length,
    );
    expect(seen).toEqual([1, 1, 1, 1, 0, 0]);
  });
});

describe('decodeEvent: Google', () => {
  const resource = { bucket: 'b', name: 'k', generation: '8656952484400131532', size: '5' };
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
  const attributes = { eventType: 'OBJECT_FINALIZE', bucketId: 'b', objectId: 'k', objectGeneration: '7' };

  it('reads generations of 63 bits exactly, number or text', () => {
    const text = `{"specversion":"1.0","id":"e","type":"google.cloud.storage.object.v1.finalized","data":{"bucket":"b","name":"k","generation":8656952484400131532}}`;
    expect(decodeEvent(sqs(text)).messages[0]?.references[0]?.versionId).toBe('8656952484400131532');
  });

  it('reads a Pub/Sub notification without payload', () => {
    const event = { message: { attributes, messageId: 'p' }, subscription: 's' };
    expect(decodeEvent(event).messages[0]).toMatchObject({
      messageId: 'p',
      references: [{ scheme: 'gs', bucket: 'b', key: 'k', versionId: '7' }],
    });
  });

  it('reads a chunk message in Pub/Sub, which has no event type', () => {
    const data = base64({ v: 1, segments: [{ scheme: 'gs', ...resource, key: 'k' }] });
    const event = { message: { data, messageId: 'p', attributes: {} } };
    expect(decodeEvent(event).messages[0]?.references[0]).toMatchObject({
      scheme: 'gs',
      key: 'k',
      sizeBytes: 5,
    });
  });

  it('reads the CloudEvent by which Eventarc hands on a Pub/Sub message, under the ID of the message', () => {
    const event = {
      specversion: '1.0',
      id: 'e',
      type: 'google.cloud.pubsub.topic.v1.messagePublished',
      data: { message: { data: base64(resource), attributes, messageId: 'p' } },
    };
    expect(decodeEvent(event).messages[0]).toMatchObject({ messageId: 'p', references: [{ key: 'k' }] });
  });

  it.each([
    ['archived', 'removed'],
    ['metadataUpdated', 'not-created'],
  ])('ignores an object that was %s: %s', (change, reason) => {
    const event = {
      specversion: '1.0',
      id: 'e',
      type: `google.cloud.storage.object.v1.${change}`,
      data: resource,
    };
    expect(decodeEvent(event).messages[0]?.ignored).toEqual([{ reason }]);
  });

  it('rejects data that is not UTF-8 instead of replacing bytes of a key', () => {
    const data = Buffer.from([0x22, 0xe9, 0x22]).toString('base64');
    expect(decodeEvent({ message: { data, messageId: 'p' } }).messages[0]?.rejected[0]?.code).toBe(
      'event.malformed',
    );
  });
});

function sqs(body: string, attributes: Readonly<Record<string, string>> = {}): unknown {
  return {
    Records: [{ messageId: 'm-1', receiptHandle: 'r-1', body, attributes, eventSource: 'aws:sqs' }],
  };
}

function chunk(segment: unknown): string {
  return JSON.stringify({ v: 1, segments: [segment] });
}

function s3Record(eventName: string, object: unknown): string {
  return JSON.stringify({
    Records: [{ eventVersion: '2.1', eventName, s3: { bucket: { name: 'b' }, object } }],
  });
}
