import { join } from 'node:path';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { type Program, startProgram } from '../../test/soak/python.ts';
import { sparkJars } from '../engines/start.ts';

const root = join(import.meta.dirname, '../..');

/** A program of this folder with its own Spark. */
export interface SparkProgram extends Program {
  /** Kills the JVM with SIGKILL, even in the middle of a commit. */
  kill(): Promise<void>;
}

export async function startSpark(
  program: 'spark_platform.py' | 'spark_stream.py',
  catalog: CatalogService,
  log: (text: string) => void,
): Promise<SparkProgram> {
  const path = ['test/soak', 'test/integration/readers'].map((folder) => join(root, folder)).join(':');
  const running = startProgram(
    join(installedFolder, 'spark/bin/python'),
    [join(import.meta.dirname, program), JSON.stringify(catalog), ...sparkJars],
    { PYTHONPATH: path },
    log,
  );
  const pid = Number(await running.ask({ do: 'pid' }));
  return {
    ...running,
    async kill() {
      process.kill(pid, 'SIGKILL');
      await running.stop();
    },
  };
}
