import type { PartitionValue } from '../spec/partition-spec.ts';
import { parsePrimitive } from '../spec/primitive-type.ts';
import type { PrimitiveType } from '../spec/schema.ts';
import { signExtended, wholeNumber } from '../spec/single-value.ts';
import type { AvroSchema } from './avro/avro-schema.ts';
import { type AvroType, boolean, bytes, field, optional, record } from './avro/avro-type.ts';
import { writeLong, writeRaw } from './avro/byte-writer.ts';
import type { ResolvedPartitionField } from './transform.ts';

/** The Avro record `r102` for the partition tuples of a spec in manifests (spec, "Manifests" and Appendix A). */
export function partitionType(
  fields: readonly ResolvedPartitionField[],
): AvroType<readonly PartitionValue[]> {
  const names = new Set<string>();
  const unique = (name: string, id: number): string => {
    const free = names.has(name) ? `${name}_${id}` : name;
    names.add(free);
    return free;
  };
  return record(
    'r102',
    fields.map(({ field: { 'field-id': id, name }, resultType }, index) =>
      resultType === 'unknown'
        ? field(id, name, alwaysNull, () => null)
        : field(
            id,
            name,
            optional(valueType(resultType, (typeName) => unique(typeName, id))),
            (tuple: readonly PartitionValue[]) => tuple[index],
          ),
    ),
  );
}

const alwaysNull: AvroType<null> = { schema: 'null', write: () => {} };

/**
 * The Avro type of a partition value, written from its single-value bytes (cases.md C8).
 *
 * @param unique makes the name of a named type unique: Avro would refer to a second type by the same name, which PyIceberg cannot resolve
 */
function valueType(type: PrimitiveType, unique: (name: string) => string): AvroType<Uint8Array> {
  const raw = (schema: AvroSchema): AvroType<Uint8Array> => ({ schema, write: writeRaw });

  const parsed = parsePrimitive(type);
  if ('length' in parsed) {
    const { length } = parsed;
    return raw({ type: 'fixed', name: unique(`fixed_${length}`), size: length });
  }
  if ('precision' in parsed) {
    const { precision, scale } = parsed;
    const size = bytesOfDecimal(precision);
    const name = unique(`decimal_${precision}_${scale}`);
    return {
      schema: { type: 'fixed', name, size, logicalType: 'decimal', precision, scale },
      write: (out, value) => writeRaw(out, signExtended(value, size)),
    };
  }
  switch (type) {
    case 'boolean':
      return { schema: 'boolean', write: (out, value) => boolean.write(out, value[0] !== 0) };
    case 'float':
    case 'double':
      return raw(type);
    case 'uuid':
      return raw({ type: 'fixed', name: unique('uuid_fixed'), size: 16, logicalType: 'uuid' });
    case 'string':
    case 'binary':
      return { schema: type === 'string' ? 'string' : 'bytes', write: bytes.write };
    default:
      return {
        schema: wholeNumberSchema(type),
        write: (out, value) => writeLong(out, wholeNumber(type, value)),
      };
  }
}

function wholeNumberSchema(type: PrimitiveType): AvroSchema {
  switch (type) {
    case 'int':
    case 'long':
      return type;
    case 'date':
      return { type: 'int', logicalType: 'date' };
    case 'time':
      return { type: 'long', logicalType: 'time-micros' };
    case 'timestamp':
    case 'timestamptz':
      return { type: 'long', logicalType: 'timestamp-micros', 'adjust-to-utc': type === 'timestamptz' };
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return { type: 'long', logicalType: 'timestamp-nanos', 'adjust-to-utc': type === 'timestamptz_ns' };
    default:
      throw new TypeError(`no partition can have values of type ${type}`);
  }
}

/** The fewest bytes that hold every unscaled value of this precision. */
function bytesOfDecimal(precision: number): number {
  let size = 1;
  while (2n ** BigInt(size * 8 - 1) < 10n ** BigInt(precision)) size += 1;
  return size;
}
