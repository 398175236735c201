import type { PrimitiveType, Type } from './schema.ts';

export type ParsedPrimitive =
  | { readonly name: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly name: 'fixed'; readonly length: number }
  | { readonly name: Exclude<string, 'decimal' | 'fixed'> };

/** The parameters of a primitive type: `"decimal(9, 2)"` → precision 9, scale 2; `"fixed[16]"` → length 16. */
export function parsePrimitive(type: PrimitiveType): ParsedPrimitive {
  if (!type.endsWith(')') && !type.endsWith(']')) return { name: type };
  const decimal = /^decimal\(\s*(\d+)\s*,\s*(\d+)\s*\)$/.exec(type);
  if (decimal) return { name: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) };
  const fixed = /^fixed\[\s*(\d+)\s*\]$/.exec(type);
  if (fixed) return { name: 'fixed', length: Number(fixed[1]) };
  return { name: type };
}

/** Whether values written as `from` can be read as `to`: equal types, and the promotions that the spec allows in v1 and v2. */
export function isSameOrPromotion(from: Type, to: Type): boolean {
  if (typeof from !== 'string' || typeof to !== 'string') return false;
  return samePrimitive(from, to) || isPromotion(from, to);
}

/** int → long, float → double, decimal(P,S) → decimal(P′ > P,S): spec, "Schema Evolution". */
export function isPromotion(from: PrimitiveType, to: PrimitiveType): boolean {
  if (from === 'int') return to === 'long';
  if (from === 'float') return to === 'double';
  const narrow = parsePrimitive(from);
  const wide = parsePrimitive(to);
  return (
    'precision' in narrow &&
    'precision' in wide &&
    narrow.scale === wide.scale &&
    wide.precision > narrow.precision
  );
}

/** Equality of primitive types, whatever white space is inside their parameters and whether a default parameter is written. */
export function samePrimitive(a: PrimitiveType, b: PrimitiveType): boolean {
  return a === b || canonicalPrimitive(a) === canonicalPrimitive(b);
}

/**
 * The spelling that all spellings of a primitive type share: without white space, and without the coordinate reference system
 * and edge algorithm that geometry and geography have by default (table spec, "Primitive Types").
 */
export function canonicalPrimitive(type: PrimitiveType): string {
  const spelled = type.replaceAll(/\s/g, '');
  if (!spelled.startsWith('geo')) return spelled;
  return spelled.replace(/,spherical\)$/i, ')').replace(/\(OGC:CRS84\)$/i, '');
}
