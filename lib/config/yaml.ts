import { LineCounter, parseDocument, visit } from 'yaml';
import { RegistrarError } from '../errors.ts';

/** By default the parser refuses more than a hundred: one for each entry that merges what all have in common. */
const MAX_ALIASES = 10_000;

/** A YAML 1.2 document, with merge keys (`<<: *common`), whose scalars are their source text, null excepted. @throws `config.invalid` with line and column */
export function parseDocumentText(text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new RegistrarError(
      'config.invalid',
      `Cannot parse the configuration: it is not valid YAML at line ${line}, column ${col} (${error.code})`,
    );
  }
  visit(document, {
    Scalar: (_key, scalar) => {
      if (scalar.value !== null && scalar.source !== undefined) scalar.value = scalar.source;
    },
  });
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    throw new RegistrarError(
      'config.invalid',
      'Cannot parse the configuration: an alias in it has no anchor, or what `<<` merges is not a map',
    );
  }
}
