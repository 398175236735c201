import { parsePrimitive } from '../../lib/spec/primitive-type.ts';
import type { PrimitiveType } from '../../lib/spec/schema.ts';
import type { Value } from '../shipper/dataset.ts';

/** A bound's value from its single-value bytes (spec, Appendix D); bounds of an int column that was promoted to long remain 4 bytes wide. */
export function boundValue(type: PrimitiveType, bytes: Uint8Array): Value {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (parsePrimitive(type).name) {
    case 'boolean':
      return view.getUint8(0) !== 0;
    case 'int':
    case 'date':
      return view.getInt32(0, true);
    case 'long':
    case 'timestamp':
    case 'timestamptz':
      return bytes.length === 4 ? BigInt(view.getInt32(0, true)) : view.getBigInt64(0, true);
    case 'float':
    case 'double':
      return bytes.length === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
    case 'decimal':
      return BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
    case 'string':
      return Buffer.from(bytes).toString();
    default:
      return bytes;
  }
}
