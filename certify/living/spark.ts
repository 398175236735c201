import { join } from 'node:path';
import type { CatalogService } from '../../test/integration/services/service.ts';
import { installedFolder } from '../../test/integration/services/services.ts';
import { type Program, startProgram } from '../../test/soak/python.ts';

const root = join(import.meta.dirname, '../..');
const spark = join(installedFolder, 'spark');
const jars = ['iceberg-spark-runtime-4.1_2.13-1.12.0.jar', 'iceberg-aws-bundle-1.12.0.jar'];

/** A program of this folder in a Spark of its own. */
export interface SparkProgram extends Program {
  /** SIGKILL to the JVM, whatever it is doing. */
  kill(): Promise<void>;
}

export async function startSpark(
  program: 'spark_platform.py' | 'spark_stream.py',
  catalog: CatalogService,
  log: (text: string) => void,
): Promise<SparkProgram> {
  const path = ['test/soak', 'test/integration/readers'].map((folder) => join(root, folder)).join(':');
  const args = [JSON.stringify(catalog), ...jars.map((jar) => join(spark, 'jars', jar))];
  const running = startProgram(
    join(spark, 'bin/python'),
    [join(import.meta.dirname, program), ...args],
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
