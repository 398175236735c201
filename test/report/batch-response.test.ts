import { describe, expect, test } from 'vitest';
import { RegistrarError } from '../../lib/errors.ts';
import { failedMessages, type MessageResult } from '../../lib/report/batch-response.ts';

const failure = new RegistrarError('catalog.unavailable', 'Cannot reach the catalog');
const message = (messageId: string, groupId?: string, failed = false, receiveCount = 1): MessageResult => ({
  messageId,
  groupId,
  receiptHandle: `r-${messageId}`,
  receiveCount,
  progressed: false,
  failure: failed ? failure : undefined,
});
const failed = (...results: MessageResult[]) => failedMessages(results).map(({ messageId }) => messageId);

describe('failedMessages', () => {
  test('answers nothing when every message is durable', () => {
    expect(failed(message('m1', 'a'), message('m2', 'b'))).toEqual([]);
  });

  test('hands back the rest of the group, and of no other group (I6, cases.md E15)', () => {
    expect(
      failed(
        message('m1', 'a'),
        message('m2', 'a', true),
        message('m3', 'b'),
        message('m4', 'a'),
        message('m5', 'b'),
      ),
    ).toEqual(['m2', 'm4']);
  });

  test('hands back the failed messages alone on a standard queue', () => {
    expect(failed(message('m1', undefined, true), message('m2'))).toEqual(['m1']);
  });

  test('backs off 15 s · 2ⁿ, at most 15 minutes', () => {
    const seconds = [1, 2, 3, 6, 7, 100].map(
      (count) => failedMessages([message('m', 'a', true, count)])[0]?.visibilitySeconds,
    );
    expect(seconds).toEqual([15, 30, 60, 480, 900, 900]);
  });

  test('starts the back-off over for a group of which anything progressed, and for no other', () => {
    const results = [
      { ...message('m1', 'a', true, 30), progressed: true },
      message('m2', 'a', true, 30),
      message('m3', 'b', true, 30),
      { ...message('m4', 'c', false, 30), progressed: true },
      message('m5', 'c', true, 30),
      { ...message('m6', undefined, true, 30), progressed: true },
      message('m7', undefined, true, 30),
    ];
    expect(
      failedMessages(results).map(({ messageId, visibilitySeconds }) => [messageId, visibilitySeconds]),
    ).toEqual([
      ['m1', 15],
      ['m2', 15],
      ['m3', 900],
      ['m5', 15],
      ['m6', 15],
      ['m7', 900],
    ]);
  });
});
