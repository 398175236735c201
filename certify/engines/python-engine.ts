import { join } from 'node:path';
import type { TableIdentifier } from '../../lib/spec/table-identifier.ts';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { type Program, startProgram } from '../../test/soak/python.ts';
import type { Predicate } from '../predicate.ts';
import type { ReadRow } from '../read-value.ts';
import type { Engine, EngineName, ReadOptions } from './engine.ts';
import { type Dialect, predicateSql } from './sql.ts';

const root = join(import.meta.dirname, '../..');

export interface PythonEngine {
  readonly name: EngineName;
  /** The component of `.ci/setup` that installs its Python environment. */
  readonly environment: 'readers' | 'engines' | 'spark';
  /** Its file in programs/. */
  readonly program: string;
  readonly args?: readonly string[];
  /** Absent if the program builds predicates in Python. */
  readonly dialect?: Dialect;
  readonly plans?: boolean;
  readonly writes?: boolean;
}

/** Longer than the slowest answer on a busy machine; an engine that takes longer is taken to hang. */
const ANSWER_SECONDS = 180;
const NO_ANSWER = `no answer within ${ANSWER_SECONDS} seconds`;

/** Starts an engine that is a Python program. If it dies or hangs on a table, it is started again for the next one. */
export async function startPythonEngine(
  { name, environment, program, args = [], dialect, plans = false, writes = false }: PythonEngine,
  catalog: CatalogService,
  log: (text: string) => void,
): Promise<Engine> {
  const start = (): Program =>
    startProgram(
      join(installedFolder, environment, 'bin/python'),
      [join(import.meta.dirname, 'programs', program), ...args],
      { PYTHONPATH: [join(root, 'test/integration/readers'), join(root, 'test/soak')].join(':') },
      log,
    );
  let running: Program | undefined = start();
  /** Namespaces of tables on which it hung, since it would hang on each further request too. */
  const hung = new Set<string>();
  const ask = async (request: object): Promise<unknown> => {
    const table = 'namespace' in request ? String(request.namespace) : '';
    if (hung.has(table)) throw new Error(NO_ANSWER);
    running ??= start();
    const answering = running;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(new Error(NO_ANSWER));
      hung.add(table);
      running = undefined;
      answering.stop();
    }, ANSWER_SECONDS * 1000);
    try {
      return await Promise.race([answering.ask({ catalog, ...request }), late]);
    } catch (error) {
      const { message } = error as Error;
      if (message.endsWith(' ended')) running = undefined;
      throw new Error(lastLine(message));
    } finally {
      clearTimeout(timer);
    }
  };
  const predicate = (where: Predicate | undefined) =>
    where && { where, ...(dialect && { sql: predicateSql(dialect, where) }) };

  return {
    name,
    version: (await ask({ do: 'version' })) as string,
    rows: async (table: TableIdentifier, { select, where }: ReadOptions = {}) =>
      (await ask({ do: 'rows', ...table, select, ...predicate(where) })) as readonly ReadRow[],
    count: async (table) => Number(await ask({ do: 'count', ...table })),
    ...(plans && {
      plannedFiles: async (table: TableIdentifier, where?: Predicate) =>
        Number(await ask({ do: 'plan', ...table, ...predicate(where) })),
    }),
    ...(writes && {
      execute: async (table: TableIdentifier, sql: string) => {
        await ask({ do: 'execute', ...table, sql });
      },
    }),
    stop: async () => running?.stop(),
  };
}

/** The error itself at the end of a traceback; for a Java exception, its first line. */
function lastLine(message: string): string {
  const java = /^: (.*)$/m.exec(message)?.[1];
  const lines = message
    .split('\n')
    .filter(
      (line) =>
        /^\S/.test(line) && !/^(Traceback|JVM stacktrace|Stack Trace|For more information)/.test(line),
    );
  const error = lines.findLast((line) => /^[\w.]+(Error|Exception|Panic\w*)?\b.*:/.test(line));
  return (java ?? error ?? lines.at(-1) ?? message).slice(0, 400);
}
