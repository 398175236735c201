/**
 * Templates of paths: `s3://lake/thadam/v1/{pipeline}/{dataset}/…`. A `{name}` stands for one path segment, or for a part of one
 * (`topic={dataset}`, `{dataset}-{partition}.parquet`), and is never empty; where several could share a segment in more than one way, the
 * earlier names are the longer ones. A last `…` (or `...`) stands for any rest. Everything else is itself: dots, empty segments and
 * percent signs have no meaning here (cases.md E24).
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

/** Why a text with names in it makes no sense; undefined when it does. */
export function placeholderProblem(text: string): string | undefined {
  return /[{}]/.test(text.replaceAll(PLACEHOLDER, ''))
    ? 'it has a brace that is not part of a {name} in lower-case letters'
    : undefined;
}

/** Why a text is no path template; undefined when it is one. */
export function templateProblem(text: string): string | undefined {
  const names = placeholders(text);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) return `it has {${twice}} twice`;
  if (text.includes('}{')) return 'two names touch, so it is unclear where the first one ends';
  if (/(…|\.\.\.)(?!$)/.test(text)) return '"…" can only be its end';
  return placeholderProblem(text);
}

/** Parses a template that has no problem; `root` is taken literally and goes before it, braces and all. */
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

/** What the names stand for in a path; undefined when the path does not fit. */
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
 * From the right, each name as short as the literal before it allows: what is left for the names before is then as long as it can be, so
 * that nothing is ever tried twice.
 */
function matchSegment(
  { literals, names }: TemplateSegment,
  part: string,
  values: Map<string, string>,
): boolean {
  const [first = '', ...separators] = literals;
  if (names.length === 0) return part === first;
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
