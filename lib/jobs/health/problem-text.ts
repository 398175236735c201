import { RegistrarError } from '../../errors.ts';

/** A failure as a report shows it: code and message. @throws the error itself if it is not one of this project */
export function problemText(error: unknown): string {
  if (!(error instanceof RegistrarError)) throw error;
  return `${error.code}: ${error.message}`;
}
