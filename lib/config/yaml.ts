import { LineCounter, parseDocument, visit } from 'yaml';
import { RegistrarError } from '../errors.ts';

/** A YAML 1.2 document whose scalars are their source text, null excepted. @throws `config.invalid` with line and column */
export function parseDocumentText(text: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
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
    return document.toJS();
  } catch {
    throw new RegistrarError(
      'config.invalid',
      'Cannot parse the configuration: an alias in it has no anchor',
    );
  }
}
