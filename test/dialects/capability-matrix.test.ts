import { expect, test } from 'vitest';
import { capabilityMatrix, type Shown } from '../integration/services/capability-matrix.ts';

const shown = (
  catalog: 'embedded' | 'fixture' | 'seaweedfs',
  name: 'contract' | 'story',
  ...ends: Shown['end'][]
) => ends.map((end): Shown => ({ capability: { catalog, name }, end }));

test('capabilityMatrix has a row for every catalog, and says of each cell what its tests came to', () => {
  const text = capabilityMatrix([
    ...shown('fixture', 'story', 'passed'),
    ...shown('fixture', 'contract', 'passed', 'differs', 'differs', 'skipped'),
    ...shown('seaweedfs', 'contract', 'passed', 'failed', 'skipped'),
    ...shown('seaweedfs', 'story', 'skipped'),
    ...shown('embedded', 'story', 'passed', 'passed'),
  ]);
  expect(text.split('\n').slice(0, -1)).toEqual([
    '            contract       story',
    'embedded    –              yes',
    'fixture     yes, 2 differ  yes',
    'seaweedfs   FAILED 1 of 2  –',
    'polaris     NOT RUN',
    'lakekeeper  NOT RUN',
    'nessie      NOT RUN',
  ]);
});

test('capabilityMatrix of nothing is nothing', () => {
  expect(capabilityMatrix([])).toBe('');
});
