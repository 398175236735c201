import type { CatalogService } from '../test/integration/services/service.ts';
import type { Cell } from './cell.ts';
import type { Engine } from './engines/engine.ts';

/** What a section works with. */
export interface Context {
  /** Apache's REST fixture over SeaweedFS. */
  readonly catalog: CatalogService;
  /** Those that were asked for and started. */
  readonly engines: readonly Engine[];
  /** By the name of an engine that was asked for and did not start: why. */
  readonly notRun: ReadonlyMap<string, string>;
  readonly seed: string;
  /** How long a section that goes on until its time is over may take, in minutes. */
  readonly minutes: number;
  /** A folder of the run's own. */
  readonly scratch: string;
  /** Progress, a line each. */
  readonly say: (line: string) => void;
  /** What programs print. */
  readonly log: (text: string) => void;
  /** Given what ends the things that were started; called in the opposite order once all sections are done. */
  readonly onClose: (close: () => Promise<void>) => void;
}

/** A part of the certification: the rows of one table of the page. */
export interface Section {
  /** As `--sections` names it. */
  readonly name: string;
  /** As the page heads it. */
  readonly title: string;
  /** Whether the short form runs it. */
  readonly short: boolean;
  /** Cells as they are known. @throws what keeps the section from going on; that is a red cell of its own */
  run(context: Context): AsyncIterable<Cell>;
}
