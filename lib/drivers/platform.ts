import { randomUUID } from 'node:crypto';
import { RegistrarError } from '../errors.ts';
import type { Clock, Log, LogRecord, Random, Timers } from '../ports.ts';
import { stringifyJson } from '../spec/json.ts';

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** The timers of the process. */
export const systemTimers: Timers = {
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const woken = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', woken);
        resolve();
      };
      const timer = setTimeout(woken, ms);
      signal?.addEventListener('abort', woken);
    }),
};

/** The random numbers of the process. */
export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() };

/** Logs one JSON object per line: `time`, `level`, then the record. Errors appear as code, message, context and cause. */
export function jsonLinesLog(clock: Clock, write: (line: string) => void): Log {
  const at = (level: string) => (record: LogRecord) => {
    const line = { time: new Date(clock.now()).toISOString(), level, ...record };
    write(`${stringifyJson(readable(line))}\n`);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

function readable(value: unknown): unknown {
  if (value instanceof Error) {
    return readable({
      name: value.name,
      message: value.message,
      ...(value instanceof RegistrarError
        ? { code: value.code, context: value.context }
        : { stack: value.stack }),
      ...(value.cause !== undefined && { cause: value.cause }),
    });
  }
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readable(item)]));
}
