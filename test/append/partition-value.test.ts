import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { murmur3 } from '../../lib/append/murmur3.ts';
import { claimedValue } from '../../lib/append/partition-path.ts';
import { partitionValue } from '../../lib/append/partition-value.ts';
import { type ResolvedPartitionField, resolvePartitionFields } from '../../lib/append/transform.ts';

/** The results of Iceberg Java, written by `files/WriteTransforms.java`. */
const golden = readFileSync(new URL('files/transforms.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [type = '', transform = '', source = '', result = '', human = ''] = line.split('\t');
    return { type, transform, source, result, human };
  });

function partitionField(type: string, transform: string, name = 'p'): ResolvedPartitionField {
  const [field] = resolvePartitionFields(
    { 'spec-id': 0, fields: [{ 'source-id': 1, 'field-id': 1000, name, transform }] },
    { type: 'struct', fields: [{ id: 1, name: 'c', required: false, type }] },
  );
  if (field === undefined) throw new Error('no field');
  return field;
}

describe('partitionValue', () => {
  it.each(golden)(
    '$transform of $type $source is $result, as in Java',
    ({ type, transform, source, result }) => {
      const resolved = partitionField(type, transform);
      if (resolved.transform.name === 'void') throw new Error('void has no values');
      const value = partitionValue(resolved.transform, type, Buffer.from(source, 'hex'));
      expect(value && Buffer.from(value).toString('hex')).toBe(result);
    },
  );

  it('keeps dates that Date cannot hold (B25)', () => {
    const { transform } = partitionField('date', 'year');
    if (transform.name === 'void') throw new Error('void has no values');
    const value = partitionValue(transform, 'date', Buffer.from('ffffff7f', 'hex'));
    expect(Buffer.from(value ?? []).readInt32LE() + 1970).toBe(5881580);
  });
});

describe('claimedValue', () => {
  /** Paths with binary values, times of day or years beyond 9999 are left to statistics. */
  const readable = golden.filter(
    ({ type, transform, human }) =>
      !/^(binary|time)$/.test(type) &&
      !/^\+?\d{5,}-/.test(human) &&
      !(transform === 'year' && human.length > 4),
  );
  it.each(readable)('reads $human as $transform of $type', ({ type, transform, result, human }) => {
    const value = claimedValue(partitionField(type, transform), human);
    expect(value && Buffer.from(value).toString('hex')).toBe(result);
  });
});

describe('murmur3', () => {
  it.each([
    ['', 0],
    ['iceberg', 1210000089],
    ['a', 0x3c2569b2],
    ['ab', 0x9bbfd75f | 0],
  ])('of "%s" is %i', (text, hash) => {
    expect(murmur3(Buffer.from(text))).toBe(hash);
  });
});
