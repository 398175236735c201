import type { Log, LogRecord } from '../../lib/ports.ts';

/** A log that keeps its records. */
export function memoryLog(): Log & { readonly records: (LogRecord & { readonly level: string })[] } {
  const records: (LogRecord & { readonly level: string })[] = [];
  const at = (level: string) => (record: LogRecord) => {
    records.push({ level, ...record });
  };
  return { records, info: at('info'), warn: at('warn'), error: at('error') };
}
