import { readFile } from 'node:fs/promises';
import { RegistrarError } from '../lib/errors.ts';
import { parseJson } from '../lib/spec/json.ts';

/** Reads an event, as a function receives it, from a JSON file. @throws `event.malformed` if the file has none */
export async function readEvent(file: string): Promise<unknown> {
  try {
    return parseJson(await readFile(file, 'utf8'));
  } catch (cause) {
    const problem =
      cause instanceof SyntaxError
        ? 'it is not JSON'
        : String(cause instanceof Error ? cause.message : cause);
    throw new RegistrarError('event.malformed', `Cannot read the event "${file}": ${problem}`, { cause });
  }
}
