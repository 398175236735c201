import type { Log, LogRecord } from '../lib/ports.ts';

/** A log without the events that the command itself reports to the user. */
export function untoldLog(log: Log, reported: readonly string[]): Log {
  const unlessReported = (write: (record: LogRecord) => void) => (record: LogRecord) => {
    if (!reported.includes(record.event)) write(record);
  };
  return { ...log, info: unlessReported(log.info), warn: unlessReported(log.warn) };
}
