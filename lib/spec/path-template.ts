/**
 * Templates of paths: `s3://lake/thadam/v1/{pipeline}/{dataset}/…`. A `{name}` stands for one path segment, or for a part of one
 * (`topic={dataset}`), and is never empty; a last `…` (or `...`) stands for any rest. Everything else is itself: dots, empty segments
 * and percent signs have no meaning here (cases.md E24).
 */
export interface PathTemplate {
  readonly segments: readonly TemplateSegment[];
  readonly openEnded: boolean;
}

/** `before{name}after`, or `before` alone. */
export interface TemplateSegment {
  readonly before: string;
  readonly name?: string;
  readonly after: string;
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
    ? 'a brace in it belongs to no {name} of lower-case letters'
    : undefined;
}

/** Why a text is no path template; undefined when it is one. */
export function templateProblem(text: string): string | undefined {
  const names = placeholders(text);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) return `{${twice}} stands in it twice`;
  if (text.split('/').some((segment) => placeholders(segment).length > 1)) {
    return 'two names share a path segment';
  }
  if (/(…|\.\.\.)(?!$)/.test(text)) return 'only its end can be "…"';
  return placeholderProblem(text);
}

/** Parses a template that has no problem; `root` is taken literally and goes before it, braces and all. */
export function parseTemplate(text: string, root?: string): PathTemplate {
  const segments = text.split('/');
  const openEnded = /^(…|\.\.\.)$/.test(segments.at(-1) ?? '');
  return {
    segments: [
      ...(root === undefined ? [] : root.split('/').map((before) => ({ before, after: '' }))),
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
  for (const [at, { before, name, after }] of segments.entries()) {
    const part = path[at] ?? '';
    if (name === undefined) {
      if (part !== before) return undefined;
      continue;
    }
    const fits =
      part.startsWith(before) && part.endsWith(after) && part.length > before.length + after.length;
    if (!fits) return undefined;
    values.set(name, part.slice(before.length, part.length - after.length));
  }
  return values;
}

function parseSegment(text: string): TemplateSegment {
  const [before = '', name, after = ''] = text.split(/\{([a-z][a-z0-9_]*)\}/);
  return { before, after, ...(name !== undefined && { name }) };
}
