import { messageOf } from '../errors.ts';
import { isMap, type RawSettings, type RawValue } from './document.ts';

/** The kinds of references inside values: `${env:NAME}`, `${file:PATH}`, `${secretsmanager:ID}`, `${ssm:NAME}`. */
export type ReferenceKind = 'env' | 'file' | 'secretsmanager' | 'ssm';

/**
 * Returns what a reference refers to; undefined for a variable that is not set. Whatever it throws becomes a problem, by its
 * message.
 */
export type ResolveReference = (kind: ReferenceKind, name: string) => Promise<string | undefined>;

const KINDS: readonly string[] = ['env', 'file', 'secretsmanager', 'ssm'] satisfies ReferenceKind[];
const REFERENCE = /\$?\$\{([^}]*)(\}?)/g;

/**
 * Resolves every reference in the settings once: the result is not searched for further references. `$${` is a literal `${`;
 * any other `$` stands for itself. Problems quote the reference, never what it refers to.
 */
export async function resolveReferences(
  settings: RawSettings,
  resolve: ResolveReference,
  problems: string[],
): Promise<RawSettings> {
  return resolveMap(settings, []);

  async function resolveMap(map: RawSettings, path: readonly string[]): Promise<RawSettings> {
    const members = Object.entries(map).map(
      async ([key, value]) => [key, await resolveValue(value, [...path, key])] as const,
    );
    return Object.fromEntries(await Promise.all(members));
  }

  async function resolveValue(value: RawValue, path: readonly string[]): Promise<RawValue> {
    if (typeof value === 'string') return resolveText(value, path.join('.'), resolve, problems);
    if (isMap(value)) return resolveMap(value, path);
    return Promise.all(value.map((item, at) => resolveValue(item, [...path, String(at)])));
  }
}

async function resolveText(
  text: string,
  path: string,
  resolve: ResolveReference,
  problems: string[],
): Promise<string> {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, content = '', closed] = match;
    parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (whole.startsWith('$$')) parts.push(whole.slice(1));
    else parts.push(await resolveOne(whole, content, closed === '}'));
  }
  return parts.join('') + text.slice(end);

  async function resolveOne(reference: string, content: string, closed: boolean): Promise<string> {
    const colon = content.indexOf(':');
    const kind = content.slice(0, Math.max(0, colon));
    const name = content.slice(colon + 1);
    if (!closed || !isReferenceKind(kind) || name === '') {
      const forms = KINDS.map((known) => `\${${known}:…}`).join(', ');
      return unresolved(reference, `is not a reference: write ${forms}, or $\${ for a literal \${`);
    }
    try {
      return (await resolve(kind, name)) ?? unresolved(reference, 'names a variable that is not set: set it');
    } catch (error) {
      return unresolved(reference, `cannot be resolved: ${messageOf(error)}`);
    }
  }

  function unresolved(reference: string, problem: string): string {
    problems.push(`${path}: "${reference}" ${problem}`);
    return reference;
  }
}

function isReferenceKind(kind: string): kind is ReferenceKind {
  return KINDS.includes(kind);
}
