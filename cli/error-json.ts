import type { RegistrarError } from '../lib/errors.ts';

/** An error in `--json` output: its stable code and its message. */
export function errorJson({ code, message }: RegistrarError) {
  return { code, message };
}
