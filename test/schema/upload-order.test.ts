import { expect, test } from 'vitest';
import { inUploadOrder } from '../../lib/schema/upload-order.ts';

const upload = (uri: string, lastModifiedMs: number, sequencer?: string) => ({
  uri,
  lastModifiedMs,
  ...(sequencer !== undefined && { sequencer }),
});

test('inUploadOrder: Last-Modified first, then as given', () => {
  const [a, b, c] = [upload('a', 2), upload('b', 1), upload('c', 2)];
  expect(inUploadOrder([a, b, c])).toEqual([b, a, c]);
  expect(inUploadOrder([c, b, a])).toEqual([b, c, a]);
});

test('inUploadOrder: of one key by sequencer, the shorter padded with zeros on its right', () => {
  const [first, second, third] = [
    upload('k', 1, '0055AE'),
    upload('k', 1, '0055AE00AB'),
    upload('k', 1, '0055B'),
  ];
  for (const given of [
    [first, second, third],
    [third, second, first],
    [second, third, first],
  ]) {
    expect(inUploadOrder(given)).toEqual([first, second, third]);
  }
});

test('inUploadOrder: sequencers of different keys say nothing', () => {
  const [a, b] = [upload('a', 1, 'FF'), upload('b', 1, '00')];
  expect(inUploadOrder([a, b])).toEqual([a, b]);
});
