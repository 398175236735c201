import { RegistrarError } from '../../lib/errors.ts';

/** An independent SQL engine: ClickHouse, embedded by the package chdb. */
export interface Engine {
  /** Rows of a query that selects texts only, column by column. */
  query(sql: string): Promise<readonly (readonly string[])[]>;
  close(): void;
}

/**
 * Opens the engine in this process. Queries run off the event loop, so servers in the same process can answer them.
 * @throws `config.invalid`, naming the supported platforms, when the package has no binary for this one
 */
export async function openEngine(): Promise<Engine> {
  const { Session } = await import('chdb').catch((cause: unknown) => {
    throw new RegistrarError(
      'config.invalid',
      `Cannot read the tables back on "${process.platform}-${process.arch}": chdb, the independent engine, runs on Linux and macOS with glibc (npm ci installs it)`,
      { cause },
    );
  });
  const session = new Session();
  return {
    async query(sql) {
      const result = await session.queryAsync(sql, { format: 'JSONCompactEachRow' });
      return result
        .text()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as string[]);
    },
    close: () => session.cleanup(),
  };
}
