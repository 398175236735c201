import { expect, test } from 'vitest';
import { RegistrarError } from '../../lib/errors.ts';
import { countOutcomes } from '../../lib/report/outcome.ts';

test('countOutcomes: by kind, and what is ignored by its reason (I9)', () => {
  const about = { reference: { scheme: 's3', bucket: 'lake', key: 'k' }, table: 'a.b' } as const;
  const error = new RegistrarError('store.unavailable', 'down');
  expect(
    countOutcomes([
      { ...about, kind: 'already-registered', snapshotId: 1n },
      { ...about, kind: 'already-registered', snapshotId: 2n },
      { ...about, kind: 'failed', error },
      { ...about, kind: 'ignored', reason: 'missing' },
      { ...about, kind: 'ignored', reason: 'missing' },
    ]),
  ).toEqual({ 'already-registered': 2, failed: 1, missing: 2 });
});
