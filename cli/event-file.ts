import { readFile } from 'node:fs/promises';
import { RegistrarError } from '../lib/errors.ts';
import { parseJson } from '../lib/spec/json.ts';

/** Reads an event, as a function receives it, from a JSON file. @throws `event.malformed` if the file has none */
export async function readEvent(file: string): Promise<unknown> {
  try {
    return parseJson(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new RegistrarError('event.malformed', `Cannot read the event "${file}": ${problemOf(cause)}`, {
      cause,
    });
  }
}

function problemOf(cause: unknown): string {
  if (cause instanceof SyntaxError) return 'it is not JSON';
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  return code === 'EISDIR' ? 'it is a directory' : message;
}
