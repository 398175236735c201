import { jsonLinesLog } from '../../lib/drivers/platform.ts';
import type { Log, LogRecord } from '../../lib/ports.ts';

/** Secrets that tests configure: whichever of them logs one fails (I10). */
const secrets = /local-secret|seaweed-secret|the-token|right-token|hush|planted/;

/** A log that keeps its records. */
export function memoryLog(): Log & { readonly records: (LogRecord & { readonly level: string })[] } {
  const records: (LogRecord & { readonly level: string })[] = [];
  const printed = jsonLinesLog({ now: () => 0 }, (line) => {
    if (secrets.test(line)) throw new Error(`A secret was logged: ${line}`);
  });
  const at = (level: 'info' | 'warn' | 'error') => (record: LogRecord) => {
    records.push({ level, ...record });
    printed[level](record);
  };
  return { records, info: at('info'), warn: at('warn'), error: at('error') };
}
