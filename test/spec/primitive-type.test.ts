import { describe, expect, test } from 'vitest';
import { samePrimitive } from '../../lib/spec/primitive-type.ts';

describe('samePrimitive', () => {
  test.each([
    ['decimal(9, 2)', 'decimal(9,2)'],
    ['geometry(OGC:CRS84)', 'geometry'],
    ['geography(ogc:crs84)', 'geography'],
    ['geography(OGC:CRS84, spherical)', 'geography'],
    ['geography(srid:4326, spherical)', 'geography(srid:4326)'],
  ])('%s is spelled %s too', (one, other) => {
    expect(samePrimitive(one, other)).toBe(true);
    expect(samePrimitive(other, one)).toBe(true);
  });

  test.each([
    ['geometry', 'geography'],
    ['geometry(srid:3857)', 'geometry'],
    ['geography(OGC:CRS84, karney)', 'geography'],
    ['decimal(9,2)', 'decimal(9,3)'],
  ])('%s is another type than %s', (one, other) => {
    expect(samePrimitive(one, other)).toBe(false);
  });
});
