import { parsePrimitive } from '../../lib/spec/primitive-type.ts';
import type { PrimitiveType, Type } from '../../lib/spec/schema.ts';
import type { Value } from './dataset.ts';

/** Stands for null in checksums. */
export const nullText = '∅';

/**
 * A value in a canonical spelling that an engine can produce too (`local/demo/canonical-sql.ts` does so in SQL). A null in a
 * struct is left out, a null in a list or map is ∅. A null list equals the empty list and a null struct the struct of nulls,
 * since not every engine can distinguish them.
 */
export function canonicalText(type: Type, value: Value): string | null {
  if (typeof type === 'string') return value === null ? null : primitiveText(type, value);
  switch (type.type) {
    case 'struct':
      return `{${type.fields.map(({ id, name, type: child }) => memberText(id, canonicalText(child, fieldOf(value, name)))).join('')}}`;
    case 'list': {
      const elements = Array.isArray(value) ? value : [];
      return `[${elements.map((element) => canonicalText(type.element, element) ?? nullText).join(',')}]`;
    }
    case 'map': {
      const entries = value instanceof Map ? [...value] : [];
      const texts = entries.map(
        ([key, entry]) => `${canonicalText(type.key, key)}=${canonicalText(type.value, entry) ?? nullText}`,
      );
      return `(${texts.sort(byBytes).join(',')})`;
    }
  }
}

/** A field of a struct; a null struct has null fields. */
export function fieldOf(struct: Value, name: string): Value {
  return (struct as Readonly<Record<string, Value>> | null)?.[name] ?? null;
}

/** An unscaled decimal with exactly `scale` digits after its point. */
export function decimalText(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
}

function primitiveText(type: PrimitiveType, value: Value): string {
  const primitive = parsePrimitive(type);
  if ('scale' in primitive) return decimalText(value as bigint, primitive.scale);
  if (primitive.name === 'float' || primitive.name === 'double') return ieeeBits(value as number);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return String(value);
}

/** The bits of a double as an unsigned number, since floating-point numbers have several decimal notations. */
function ieeeBits(value: number): string {
  return String(new BigUint64Array(Float64Array.of(value).buffer)[0]);
}

function memberText(id: number, text: string | null): string {
  return text === null ? '' : `${id}=${text};`;
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
