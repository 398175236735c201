import { join } from 'node:path';
import { installedFolder } from '../../../test/integration/services/services.ts';
import { type Program, startProgram } from '../../../test/soak/python.ts';
import { type Lakehouse, NAMESPACE } from './lakehouse.ts';
import { type Segment, uriOf } from './segments.ts';

/** Files of each table whose rows are compared; their number and names are for all. */
const SAMPLE = 30;

/** Reads tables back through PyIceberg. */
export interface ReadBack {
  /**
   * @param before how many files its built history has
   * @throws Error when the table has other files than those, or other rows than they have
   */
  check(table: string, registered: readonly Segment[], before: number): Promise<void>;
  stop(): Promise<void>;
}

export function startReadBack({ catalog }: Pick<Lakehouse, 'catalog'>): ReadBack {
  const program: Program = startProgram(
    join(installedFolder, 'readers/bin/python'),
    [join(import.meta.dirname, 'read_back.py')],
    {},
    () => {},
  );
  return {
    async check(table, registered, before) {
      const files = registered.map(uriOf);
      const request = { catalog, namespace: [NAMESPACE], name: table, files, before, sample: SAMPLE };
      const wrong = (await program.ask(request)) as readonly string[];
      if (wrong.length > 0) {
        throw new Error(
          `Table "${table}" read back, ${wrong.length} things are wrong: ${wrong.slice(0, 3).join('; ')}`,
        );
      }
    },
    stop: () => program.stop(),
  };
}
