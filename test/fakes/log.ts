import { jsonLinesLog } from '../../lib/drivers/platform.ts';
import type { Log, LogRecord } from '../../lib/ports.ts';

/** A log that keeps its records; what it would print is made too, and searched like everything else that comes out. */
export function memoryLog(): Log & { readonly records: (LogRecord & { readonly level: string })[] } {
  const records: (LogRecord & { readonly level: string })[] = [];
  const printed = jsonLinesLog({ now: () => 0 }, () => {});
  const at = (level: 'info' | 'warn' | 'error') => (record: LogRecord) => {
    records.push({ level, ...record });
    printed[level](record);
  };
  return { records, info: at('info'), warn: at('warn'), error: at('error') };
}
