import { parquetMetadata } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { indexById } from '../../lib/spec/schema.ts';
import { canonicalText, decimalText } from '../../local/shipper/canonical-text.ts';
import { compareValues } from '../../local/shipper/dataset.ts';
import { datasets } from '../../local/shipper/datasets.ts';
import { makeSegment } from '../../local/shipper/segment.ts';

const shipped = datasets.flatMap((dataset) =>
  dataset.versions.map((schema, version) => ({ dataset, schema, version })),
);

describe.each(shipped)('makeSegment of $dataset.name, version $version', ({ dataset, schema, version }) => {
  const segment = makeSegment(dataset, version, 3, { rows: 40 });

  test('gives the same bytes for the same arguments, others for another index', () => {
    expect(makeSegment(dataset, version, 3, { rows: 40 }).bytes).toEqual(segment.bytes);
    expect(makeSegment(dataset, version, 4, { rows: 40 }).bytes).not.toEqual(segment.bytes);
  });

  test('writes the field IDs of the schema, nested ones too', () => {
    const { buffer } = segment.bytes;
    const ids = parquetMetadata(buffer as ArrayBuffer).schema.flatMap(({ field_id }) => field_id ?? []);
    expect(ids).toEqual([...indexById(schema).keys()]);
  });

  test('lies in the default layout', () => {
    expect(segment.key).toBe(`thadam/v1/plant-7/${dataset.name}/2026-01-01/00/00003.parquet`);
  });
});

test('makeSegment keeps a promoted column in the narrow range until the type is wide', () => {
  for (const dataset of datasets) {
    const [first] = dataset.versions;
    for (const { name } of first.fields.filter(({ type }) => type === 'int')) {
      for (const { [name]: value } of makeSegment(dataset, 0, 0, { rows: 500 }).rows) {
        if (value === null || value === undefined) continue;
        expect(compareValues(value, -(2 ** 31))).toBeGreaterThanOrEqual(0);
        expect(compareValues(value, 2 ** 31 - 1)).toBeLessThanOrEqual(0);
      }
    }
  }
});

describe('canonicalText', () => {
  test.each([
    [1_05n, 2, '1.05'],
    [-5n, 2, '-0.05'],
    [0n, 3, '0.000'],
    [42n, 0, '42'],
    [10n ** 37n, 10, `1${'0'.repeat(27)}.${'0'.repeat(10)}`],
  ])('spells the decimal %s of scale %s as %s', (unscaled, scale, text) => {
    expect(decimalText(unscaled, scale)).toBe(text);
  });

  test('tells a null element, an empty list and an absent member apart where engines can', () => {
    const list = { type: 'list', 'element-id': 2, element: 'string', 'element-required': false } as const;
    expect(canonicalText(list, [null])).toBe('[∅]');
    expect(canonicalText(list, [])).toBe('[]');
    expect(canonicalText(list, null)).toBe('[]');
    const struct = { type: 'struct', fields: [{ id: 3, name: 'x', required: false, type: 'int' }] } as const;
    expect(canonicalText(struct, { x: 7 })).toBe('{3=7;}');
    expect(canonicalText(struct, null)).toBe('{}');
  });

  test('spells a map in the order of its keys, however it was filled', () => {
    const map = {
      type: 'map',
      'key-id': 2,
      key: 'string',
      'value-id': 3,
      value: 'int',
      'value-required': false,
    } as const;
    const entries: [string, number | null][] = [
      ['ø', 1],
      ['a', null],
    ];
    expect(canonicalText(map, new Map(entries))).toBe('(a=∅,ø=1)');
    expect(canonicalText(map, new Map(entries.toReversed()))).toBe('(a=∅,ø=1)');
  });
});
