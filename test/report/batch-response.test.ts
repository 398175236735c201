import { describe, expect, test } from 'vitest';
import { RegistrarError } from '../../lib/errors.ts';
import { failedMessages, type MessageResult } from '../../lib/report/batch-response.ts';

const failure = new RegistrarError('catalog.unavailable', 'Cannot reach the catalog');
const message = (messageId: string, groupId?: string, failed = false, receiveCount = 1): MessageResult => ({
  messageId,
  groupId,
  receiptHandle: `r-${messageId}`,
  receiveCount,
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
});
