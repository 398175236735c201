import { packText } from '../lib/config/packed-text.ts';

/** AWS allows 4 KB for all environment variables and their names. This leaves room for the others, which are short. */
export const MAX_CONFIG_BYTES = 3_500;

/**
 * A configuration's text as `REGISTRAR_CONFIG` of a function: as it is, to be read in the console, or packed where there is no room.
 * Entries repeat each other, so that hundreds fit.
 */
export function variableOf(configText: string): string {
  return Buffer.byteLength(configText) <= MAX_CONFIG_BYTES ? configText : packText(configText);
}
