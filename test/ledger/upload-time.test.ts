import { expect, test } from 'vitest';
import { oldestUploadMs, uploadSummary } from '../../lib/ledger/upload-time.ts';

test('a summary tells when the oldest segment was uploaded', () => {
  const summary = uploadSummary([1_795_966_383_000, 1_795_966_382_000, 1_795_966_384_000]);
  expect(oldestUploadMs(summary)).toBe(1_795_966_382_000);
});

test('a summary of another writer, or with a value that is not a time, gives none', () => {
  expect(oldestUploadMs({ operation: 'append' })).toBeUndefined();
  expect(oldestUploadMs({ 'iceberg-registrar.oldest-upload-ms': 'soon' })).toBeUndefined();
});
