/**
 * Turns the flat list of schema elements into the tree that it represents, with the leaves in the order of the column chunks.
 */
import { RegistrarError } from '../errors.ts';
import { onceFor } from '../memo.ts';
import type { SchemaElement } from './footer.ts';

export interface SchemaNode {
  readonly element: SchemaElement;
  /** The names from the root; empty for the root itself. Names may contain dots, so they are joined only for messages (A24). */
  readonly path: readonly string[];
  /** The names in UTF-8, as column chunks contain them. */
  readonly utf8Path: readonly Uint8Array[];
  /** Empty for a leaf. */
  readonly children: readonly SchemaNode[];
  /** The position of the leaf's chunk in every row group; undefined for a group. */
  readonly leafIndex: number | undefined;
  /** Whether the element or one around it is repeated. */
  readonly isRepeated: boolean;
}

/** Levels of nesting allowed, of which a list or map takes two. Readers walk schemas recursively. */
const maxDepth = 100;

/** `FieldRepetitionType` of parquet.thrift. */
export const REQUIRED = 0;
export const OPTIONAL = 1;
export const REPEATED = 2;

/** A path for messages, shortened, since a hostile file's column names may be long. */
export function formatPath(path: readonly string[]): string {
  const text = path.join('.');
  return text.length > 200 ? `"${text.slice(0, 200)}…"` : `"${text}"`;
}

/**
 * Builds the tree and checks that it is one: every element used once, each field with a repetition, each leaf with a physical
 * type, names unique within their group.
 *
 * @throws `segment.inconsistent`, `segment.unreadable` (nesting beyond the limit)
 */
export const schemaTree = onceFor(buildTree);

function buildTree(elements: readonly SchemaElement[]): {
  readonly root: SchemaNode;
  readonly leaves: readonly SchemaNode[];
} {
  const leaves: SchemaNode[] = [];
  let next = 0;

  const take = (parent: Around | undefined): SchemaNode => {
    const element = elements[next++];
    if (element === undefined) {
      throw broken(`the schema ends after ${elements.length} elements, within a group`);
    }
    const around = parent ? inside(parent, element) : outermost;
    const isGroup = parent === undefined || element.type === undefined;
    checkElement(element, around.path, isGroup);
    const leafIndex = isGroup ? undefined : leaves.length;
    const children = isGroup ? takeChildren(element.numChildren ?? 0, around) : [];
    const node: SchemaNode = { ...around, element, children, leafIndex };
    if (!isGroup) leaves.push(node);
    return node;
  };

  const takeChildren = (count: number, around: Around): SchemaNode[] => {
    const left = elements.length - next;
    if (count > left) {
      throw broken(
        `the group ${formatPath(around.path)} claims ${count} children, ${left} elements are left`,
      );
    }
    const children: SchemaNode[] = [];
    const names = new Set<string>();
    for (let i = 0; i < count; i++) {
      const child = take(around);
      if (names.has(child.element.name)) throw broken(`two columns have the name ${formatPath(child.path)}`);
      names.add(child.element.name);
      children.push(child);
    }
    return children;
  };

  const root = take(undefined);
  if (next < elements.length) throw broken(`${elements.length - next} schema elements are left over`);
  if (leaves.length === 0) throw broken('the schema has no column');
  return { root, leaves };
}

type Around = Pick<SchemaNode, 'path' | 'utf8Path' | 'isRepeated'>;

const outermost: Around = { path: [], utf8Path: [], isRepeated: false };

function inside(parent: Around, { name, repetition }: SchemaElement): Around {
  if (parent.path.length === maxDepth) {
    throw broken(`the schema nests deeper than ${maxDepth} levels`, 'segment.unreadable');
  }
  return {
    path: [...parent.path, name],
    utf8Path: [...parent.utf8Path, Buffer.from(name)],
    isRepeated: parent.isRepeated || repetition === REPEATED,
  };
}

function checkElement(element: SchemaElement, path: readonly string[], isGroup: boolean): void {
  if (isGroup) {
    if ((element.numChildren ?? 0) < 0)
      throw broken(`the group ${formatPath(path)} claims ${element.numChildren} children`);
  } else if ((element.numChildren ?? 0) !== 0) {
    throw broken(`the column ${formatPath(path)} has both a type and children`);
  }
  if (path.length > 0 && ![REQUIRED, OPTIONAL, REPEATED].includes(element.repetition ?? -1)) {
    throw broken(`the column ${formatPath(path)} has the repetition ${element.repetition}`);
  }
}

function broken(
  what: string,
  code: 'segment.inconsistent' | 'segment.unreadable' = 'segment.inconsistent',
): RegistrarError {
  return new RegistrarError(code, `Cannot read the schema of the segment: ${what}`);
}
