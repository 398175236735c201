import { parseJson } from '../../lib/spec/json.ts';

/** What the handlers' log lines say went wrong. */
export interface HandlerLog {
  readonly onOutput: (text: string) => void;
  readonly onThrown: (error: string) => void;
  /** Batches of a table that failed and came again, by code. */
  failures(): ReadonlyMap<string, number>;
  /** What no fault of the soak explains: errors of our own, and commits that are said to be lost. */
  faults(): readonly string[];
}

/** A process that SIGKILL ended has no exit code. */
const KILLED = /ended with exit code null$/;

/** Reads what handlers print; pieces of lines that a kill cut are passed over. */
export function handlerLog(write: (text: string) => void): HandlerLog {
  const failures = new Map<string, number>();
  const faults: string[] = [];
  return {
    onOutput(text) {
      write(text);
      const lines = text.split('\n');
      for (const line of lines.filter((one) => one.includes('"commits-lost"'))) faults.push(line);
      for (const line of lines.filter((one) => one.includes('"table-failed"'))) {
        const error = errorOf(line);
        if (error?.code === undefined) continue;
        failures.set(error.code, (failures.get(error.code) ?? 0) + 1);
        if (error.code === 'internal.error' || error.code === 'catalog.refused')
          faults.push(`${error.code}: ${error.message}`);
      }
    },
    onThrown(error) {
      write(`${error}\n`);
      if (!KILLED.test(error)) faults.push(error);
    },
    failures: () => failures,
    faults: () => faults,
  };
}

function errorOf(line: string): { readonly code?: string; readonly message?: string } | undefined {
  try {
    return (parseJson(line) as { error?: { code?: string; message?: string } }).error;
  } catch {
    return undefined;
  }
}
