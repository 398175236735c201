import { RegistrarError } from '../lib/errors.ts';

/** The line for an error that its reader can mend: one of ours, or a command line that `parseArgs` refuses. @throws any other error */
export function refusal(error: unknown): string {
  if (error instanceof RegistrarError) return `${error.code}: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (String(code).startsWith('ERR_PARSE_ARGS')) return `config.invalid: ${message}`;
  throw error;
}
