/**
 * The fields of a Parquet file that correspond to fields of an Iceberg schema, without the intermediate groups of lists and
 * maps.
 */
import { RegistrarError } from '../errors.ts';
import { annotationOf } from './annotation.ts';
import { type ColumnType, type ColumnTypeOptions, columnType } from './column-type.ts';
import { formatPath, REPEATED, REQUIRED, type SchemaNode } from './parquet-schema.ts';

export interface FileField {
  readonly node: SchemaNode;
  /** Iceberg's names from the root: `element`, `key` and `value`, whatever the file calls them (case A8). */
  readonly path: readonly string[];
  readonly isRequired: boolean;
  readonly kind: 'leaf' | 'variant' | 'struct' | 'list' | 'map';
  /** Set on leaves only. */
  readonly columnType: ColumnType | undefined;
  /** The fields of a struct, the element of a list, key and value of a map. */
  readonly children: readonly FileField[];
}

/** @throws `sink.iceberg_unsupported_type`, `segment.inconsistent` */
export function fileFields(
  group: SchemaNode,
  options: ColumnTypeOptions,
  path: readonly string[] = [],
): readonly FileField[] {
  return group.children.map((child) => fileField(child, [...path, child.element.name], options));
}

function fileField(node: SchemaNode, path: readonly string[], options: ColumnTypeOptions): FileField {
  const isRequired = node.element.repetition === REQUIRED;
  if (node.element.repetition === REPEATED) {
    throw unsupported(path, 'it is repeated outside of a list or map: write it as a three-level list');
  }
  if (node.leafIndex !== undefined) {
    return {
      node,
      path,
      isRequired,
      kind: 'leaf',
      columnType: columnType(node.element, path, options),
      children: [],
    };
  }
  const group = (kind: FileField['kind'], children: readonly FileField[]): FileField => ({
    node,
    path,
    isRequired,
    kind,
    columnType: undefined,
    children,
  });
  const annotation = annotationOf(node.element);
  switch (annotation) {
    case '':
      if (node.children.length === 0)
        throw unsupported(path, 'a struct without fields cannot be read back: leave it out');
      return group('struct', fileFields(node, options, path));
    case 'LIST':
      return group('list', [fileField(listElement(node, path), [...path, 'element'], options)]);
    case 'MAP': {
      const [key, value] = mapEntry(node, path);
      return group('map', [
        // Hive and Flink write optional keys. Keys are never null, so they are read as required (case A9).
        { ...fileField(key, [...path, 'key'], options), isRequired: true },
        fileField(value, [...path, 'value'], options),
      ]);
    }
    case 'VARIANT':
      checkVariant(node, path, options);
      return group('variant', []);
    default:
      throw new RegistrarError(
        'segment.inconsistent',
        `Cannot map column ${formatPath(path)}: it is a group annotated ${annotation}`,
      );
  }
}

/** The element of a three-level list; the two-level forms of parquet-format's compatibility rules are refused (case A7). */
function listElement(list: SchemaNode, path: readonly string[]): SchemaNode {
  const repeated = list.children[0];
  const element = repeated?.children[0];
  const isTwoLevel =
    list.children.length !== 1 ||
    repeated?.element.repetition !== REPEATED ||
    repeated.children.length !== 1 ||
    element?.element.repetition === REPEATED ||
    repeated.element.name === 'array' ||
    repeated.element.name === `${list.element.name}_tuple` ||
    ['LIST', 'MAP'].includes(annotationOf(repeated.element));
  if (isTwoLevel || element === undefined) {
    throw unsupported(
      path,
      'it is not a three-level list, the only form that Iceberg reads: write the dataset with three-level lists',
    );
  }
  return element;
}

function mapEntry(map: SchemaNode, path: readonly string[]): readonly [key: SchemaNode, value: SchemaNode] {
  const entries = map.children[0];
  const [key, value] = entries?.children ?? [];
  if (
    map.children.length !== 1 ||
    entries?.element.repetition !== REPEATED ||
    entries.children.length !== 2 ||
    key === undefined ||
    value === undefined
  ) {
    throw unsupported(path, 'it is not one repeated group with a key and a value: write the map that way');
  }
  return [key, value];
}

/**
 * Checks the children of a variant: `metadata`, `value` and possibly the shredded `typed_value`, none of which is a field of
 * the schema (parquet-format, VariantEncoding.md).
 */
function checkVariant(variant: SchemaNode, path: readonly string[], options: ColumnTypeOptions): void {
  if (options.formatVersion < 3) {
    throw unsupported(
      path,
      'it is a VARIANT, which only format version 3 has: create the table with format_version: 3',
    );
  }
  const names = variant.children.map((child) => child.element.name);
  const isVariant =
    names.includes('metadata') &&
    (names.includes('value') || names.includes('typed_value')) &&
    names.every((name) => ['metadata', 'value', 'typed_value'].includes(name));
  if (!isVariant) {
    throw new RegistrarError(
      'segment.inconsistent',
      `Cannot map column ${formatPath(path)}: a VARIANT has the fields metadata, value and typed_value, not ${names.length} fields like ${formatPath(names.slice(0, 1))}`,
    );
  }
}

function unsupported(path: readonly string[], why: string): RegistrarError {
  return new RegistrarError('sink.iceberg_unsupported_type', `Cannot map column ${formatPath(path)}: ${why}`);
}
