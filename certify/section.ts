import type { CatalogService } from '../test/integration/services/service.ts';
import type { Cell } from './cell.ts';
import type { Engine } from './engines/engine.ts';

/** What a section gets for its run. */
export interface Context {
  /** Apache's REST fixture over SeaweedFS. */
  readonly catalog: CatalogService;
  /** The requested engines that started. */
  readonly engines: readonly Engine[];
  /** For each requested engine that did not start: why. */
  readonly notRun: ReadonlyMap<string, string>;
  readonly seed: string;
  /** Minutes for a section that runs until its time is over. */
  readonly minutes: number;
  /** A temporary folder of this run. */
  readonly scratch: string;
  /** Receives one line of progress per call. */
  readonly say: (line: string) => void;
  /** Receives the output of the programs. */
  readonly log: (text: string) => void;
  /** Registers a function that stops something. They are called in reverse order after the last section. */
  readonly onClose: (close: () => Promise<void>) => void;
}

/** A part of the certification: the rows of one table of the page. */
export interface Section {
  /** Its name in `--sections`. */
  readonly name: string;
  /** Its heading on the page. */
  readonly title: string;
  /** Whether the short form runs it. */
  readonly short: boolean;
  /** Yields each cell once it is known. @throws the error that ends the section, which becomes a red cell */
  run(context: Context): AsyncIterable<Cell>;
}
