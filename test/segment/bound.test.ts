import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateBound } from '../../lib/segment/bound.ts';

const utf8 = (text: string): Uint8Array => Buffer.from(text);
const points = (bytes: Uint8Array): number => [...Buffer.from(bytes).toString('utf8')].length;
const wellFormed = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.toWellFormed());

describe('truncateBound', () => {
  test('cuts between code points, not bytes or UTF-16 units (B5, B6)', () => {
    const text = utf8(`${'a'.repeat(15)}😀z`);
    expect(truncateBound(text, 'string', 16, 'lower')).toEqual(utf8(`${'a'.repeat(15)}😀`));
    expect(truncateBound(text, 'string', 16, 'upper')).toEqual(utf8(`${'a'.repeat(15)}\u{1f601}`));
  });

  test('skips the surrogates, which UTF-8 does not have', () => {
    expect(truncateBound(utf8('\ud7ffx'), 'string', 1, 'upper')).toEqual(utf8('\ue000'));
  });

  test('raises the last code point that can be raised, and gives no bound if none can (B7)', () => {
    const last = '\u{10ffff}';
    expect(truncateBound(utf8(`a${last}${last}x`), 'string', 3, 'upper')).toEqual(utf8('b'));
    expect(truncateBound(utf8(last.repeat(17)), 'string', 16, 'upper')).toBeUndefined();
    expect(truncateBound(utf8(last.repeat(17)), 'string', 16, 'lower')).toEqual(utf8(last.repeat(16)));
  });

  test('raises the last byte that can be raised, and gives no bound if all are FF (B9)', () => {
    expect(truncateBound(Uint8Array.of(1, 0xff, 0xff, 9), 'binary', 3, 'upper')).toEqual(Buffer.of(2));
    expect(truncateBound(new Uint8Array(17).fill(0xff), 'binary', 16, 'upper')).toBeUndefined();
  });

  test.each([Buffer.from([1, 2, 0xff, 9]), Uint8Array.of(1, 2, 0xff, 9)])('leaves %o as it was', (bytes) => {
    for (let time = 0; time < 2; time += 1)
      expect(Buffer.from(truncateBound(bytes, 'binary', 3, 'upper') ?? []).toString('hex')).toBe('0103');
    expect([...bytes]).toEqual([1, 2, 0xff, 9]);
  });

  test.each(['fixed[20]', 'uuid', 'decimal(38,0)', 'long'])('never cuts %s (B27)', (type) => {
    const bytes = new Uint8Array(20).fill(7);
    expect(truncateBound(bytes, type, 4, 'upper')).toBe(bytes);
  });

  test('bounds: lower ≤ value ≤ upper in unsigned bytes, never longer than asked, valid UTF-8 (property)', () => {
    fc.assert(
      fc.property(wellFormed, fc.integer({ min: 1, max: 20 }), (text, length) => {
        const value = utf8(text);
        const [lower, upper] = (['lower', 'upper'] as const).map((side) =>
          truncateBound(value, 'string', length, side),
        );
        expect(lower && Buffer.compare(lower, value)).toBeLessThanOrEqual(0);
        expect(points(lower ?? value)).toBeLessThanOrEqual(length);
        if (upper === undefined) return;
        expect(Buffer.compare(upper, value)).toBeGreaterThanOrEqual(0);
        expect(points(upper)).toBeLessThanOrEqual(length);
        expect(Buffer.from(upper).toString('utf8').isWellFormed()).toBe(true);
        expect(Buffer.from(Buffer.from(upper).toString('utf8'))).toEqual(Buffer.from(upper));
      }),
      { numRuns: 2000 },
    );
  });

  test('bounds bytes too (property)', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (value, length) => {
        const lower = truncateBound(value, 'binary', length, 'lower');
        const upper = truncateBound(value, 'binary', length, 'upper');
        expect(lower && Buffer.compare(lower, value)).toBeLessThanOrEqual(0);
        if (upper !== undefined) expect(Buffer.compare(upper, value)).toBeGreaterThanOrEqual(0);
        else expect(value.subarray(0, length).every((byte) => byte === 0xff)).toBe(true);
      }),
    );
  });
});
