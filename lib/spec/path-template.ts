/**
 * Path templates such as `s3://lake/thadam/v1/{pipeline}/{dataset}/…`. A `{name}` stands for one non-empty path segment or a
 * part of one (`topic={dataset}`, `{dataset}-{partition}.parquet`); if several could share a segment in more than one way,
 * earlier names match as much as possible. A final `…` (or `...`) stands for any rest. Everything else is literal: dots, empty
 * segments and percent signs have no special meaning (cases.md E24).
 */
export interface PathTemplate {
  readonly segments: readonly TemplateSegment[];
  readonly openEnded: boolean;
}

/** `literals[0]{names[0]}literals[1]…`: one literal more than names. */
export interface TemplateSegment {
  readonly literals: readonly string[];
  readonly names: readonly string[];
}

const PLACEHOLDER = /\{([a-z][a-z0-9_]*)\}/g;

/** The names in a template, in order. */
export function placeholders(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].flatMap((match) => match[1] ?? []);
}

/** The template with its names replaced; names without a value stay. */
export function fill(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(PLACEHOLDER, (placeholder, name: string) => values.get(name) ?? placeholder);
}

/** Why a text with names in it is not valid; undefined if it is. */
export function placeholderProblem(text: string): string | undefined {
  return /[{}]/.test(text.replaceAll(PLACEHOLDER, ''))
    ? 'it has a brace that is not part of a {name} in lower-case letters'
    : undefined;
}

/** Why a text is not a valid path template; undefined if it is. */
export function templateProblem(text: string): string | undefined {
  const names = placeholders(text);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) return `it has {${twice}} twice`;
  if (text.includes('}{')) return 'two names touch, so it is unclear where the first one ends';
  if (/(…|\.\.\.)(?!$)/.test(text)) return '"…" can only be its end';
  return placeholderProblem(text);
}

/** Parses a valid template. `root` is prepended literally, braces and all. */
export function parseTemplate(text: string, root?: string): PathTemplate {
  const segments = text.split('/');
  const openEnded = /^(…|\.\.\.)$/.test(segments.at(-1) ?? '');
  return {
    segments: [
      ...(root === undefined ? [] : root.split('/').map((literal) => ({ literals: [literal], names: [] }))),
      ...(openEnded ? segments.slice(0, -1) : segments).map(parseSegment),
    ],
    openEnded,
  };
}

/** The values of the names in a path; undefined if the path does not match. */
export function matchTemplate(
  template: PathTemplate,
  path: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const { segments, openEnded } = template;
  if (openEnded ? path.length <= segments.length : path.length !== segments.length) return undefined;
  const values = new Map<string, string>();
  return segments.every((segment, at) => matchSegment(segment, path[at] ?? '', values)) ? values : undefined;
}

/**
 * Matches from the right, each name as short as the literal before it allows, so that what remains for earlier names is as long
 * as possible and nothing is tried twice.
 */
function matchSegment(
  { literals, names }: TemplateSegment,
  part: string,
  values: Map<string, string>,
): boolean {
  if (names.length === 0) return part === literals[0];
  const [first = '', ...separators] = literals;
  const last = separators.pop() ?? '';
  if (!part.startsWith(first) || !part.endsWith(last)) return false;
  let end = part.length - last.length;
  for (const [at, name] of [...names.entries()].reverse()) {
    const separator = separators[at - 1];
    const start =
      separator === undefined ? first.length : part.lastIndexOf(separator, end - separator.length - 1);
    const from = start + (separator?.length ?? 0);
    if (start < first.length || from >= end) return false;
    values.set(name, part.slice(from, end));
    end = start;
  }
  return true;
}

function parseSegment(text: string): TemplateSegment {
  return { literals: text.split(/\{[a-z][a-z0-9_]*\}/), names: placeholders(text) };
}
