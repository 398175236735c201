/** Avro schemas in their JSON form, with the attributes that Iceberg adds (spec, Appendix A). */
export type AvroSchema = string | readonly AvroSchema[] | AvroRecord | AvroArray | AvroNamed | AvroLogical;

export interface AvroRecord {
  readonly type: 'record';
  readonly name: string;
  readonly fields: readonly AvroField[];
}

export interface AvroField {
  readonly name: string;
  readonly type: AvroSchema;
  readonly default?: null;
  readonly 'field-id'?: number;
  /** The name in the table, if Avro does not allow that name. */
  readonly 'iceberg-field-name'?: string;
}

export interface AvroArray {
  readonly type: 'array';
  readonly items: AvroSchema;
  readonly 'element-id'?: number;
  /** An array of key and value records. */
  readonly logicalType?: 'map';
}

export interface AvroNamed {
  readonly type: 'fixed';
  readonly name: string;
  readonly size: number;
  readonly logicalType?: 'decimal' | 'uuid';
  readonly precision?: number;
  readonly scale?: number;
}

export interface AvroLogical {
  readonly type: 'int' | 'long' | 'boolean' | 'float' | 'double' | 'string' | 'bytes' | 'null';
  readonly logicalType?: string;
  readonly 'adjust-to-utc'?: boolean;
}

/**
 * Escapes a column's name as Avro requires: `9 c.x` → `_9_x20c_x2Ex`. Same as in Java, except that letters beyond ASCII are
 * escaped too: Java keeps them, and strict readers refuse them. Readers go by field ID and `iceberg-field-name`.
 */
export function avroName(name: string): string {
  const escaped = name.replaceAll(
    /[^A-Za-z0-9_]/g,
    (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return /^[0-9]/.test(escaped) ? `_${escaped}` : escaped;
}
