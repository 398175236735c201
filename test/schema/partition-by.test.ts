import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../lib/schema/columns.ts';
import { parsePartitionBy, partitionSpec } from '../../lib/schema/partition-by.ts';
import { column, struct } from './evolving-table.ts';

describe('parsePartitionBy', () => {
  test.each([
    ['region', 'identity', 'region'],
    ['at.lat', 'identity', 'at.lat'],
    ['identity(region)', 'identity', 'region'],
    ['day(ts)', 'day', 'ts'],
    ['bucket[16](id)', 'bucket[16]', 'id'],
    ['truncate[4](na me)', 'truncate[4]', 'na me'],
  ])('%s', (text, transform, source) => {
    expect(parsePartitionBy(text)).toEqual({ text, transform, column: source });
  });

  test.each(['', 'days(ts)', 'bucket(id)', 'bucket[0](id)', 'day[2](ts)', 'truncate(x)', 'void(x)'])(
    '"%s" is none: config.invalid, with what would be',
    (text) => {
      expect(() => parsePartitionBy(text)).toThrow(
        expect.objectContaining({
          code: 'config.invalid',
          message: expect.stringContaining('bucket[16](c)'),
        }),
      );
    },
  );
});

describe('partitionSpec: which transform takes which type', () => {
  const bounded = ['int', 'long', 'decimal(9,2)', 'date', 'time', 'timestamp', 'string', 'uuid', 'binary'];
  const takes = {
    year: ['date', 'timestamp', 'timestamptz', 'timestamp_ns'],
    hour: ['timestamp', 'timestamptz', 'timestamptz_ns'],
    'bucket[4]': [...bounded, 'fixed[3]'],
    'truncate[4]': ['int', 'long', 'decimal(9,2)', 'string', 'binary'],
    identity: [...bounded, 'boolean', 'float', 'double'],
  };
  const types = [
    ...new Set([...Object.values(takes).flat(), 'geometry', 'geography(srid:4326)', 'variant', 'unknown']),
  ];

  test.each(Object.entries(takes))('%s', (transform, accepted) => {
    const taken = types.filter((type) => {
      try {
        return (
          partitionSpec([`${transform}(c)`], columnsOf(struct(column(1, 'c', type)))).fields.length === 1
        );
      } catch {
        return false;
      }
    });
    expect(taken).toEqual(expect.arrayContaining(accepted));
    expect(taken).toHaveLength(
      types.filter((type) => accepted.includes(type) || isLike(type, accepted)).length,
    );
  });
});

/** Nanosecond timestamps go where timestamps go. */
function isLike(type: string, accepted: readonly string[]): boolean {
  return type.startsWith('timestamp') && accepted.includes('timestamp');
}
