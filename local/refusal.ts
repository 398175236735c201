import { RegistrarError } from '../lib/errors.ts';

/** The line for an error that its reader can mend. @throws any other error than ours */
export function refusal(error: unknown): string {
  if (error instanceof RegistrarError) return `${error.code}: ${error.message}`;
  throw error;
}
