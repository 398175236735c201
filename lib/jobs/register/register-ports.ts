import type { LimitFunction } from 'p-limit';
import type { Entry } from '../../config/entry.ts';
import type { Catalog, Clock, Log, Quarantine, Random, Store, Timers, Trace } from '../../ports.ts';
import type { Registration, SegmentOutcome } from '../../report/outcome.ts';
import type { Dataset } from '../../route/layout.ts';
import type { FooterMemory } from './footer-memory.ts';
import type { TableCache } from './table-cache.ts';

/** The services of one configuration entry. */
export interface EntryPorts {
  readonly store: Store;
  /** The store for the tables' own files, with credentials vended by the catalog. @default store */
  readonly tableStore?: Store;
  readonly catalog: Catalog;
  readonly quarantine: Quarantine;
}

/** Everything a registration needs from the outside world. */
export interface RegisterPorts {
  readonly entries: readonly Entry[];
  readonly portsOf: (entry: Entry) => EntryPorts;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly trace: Trace;
  readonly cache: TableCache;
  /** Limits how many footers are read at once, over all tables of the container. */
  readonly footerLimit: LimitFunction;
  /** Bytes of footers that an invocation holds at once. @default 128 MiB */
  readonly maxFooterMemoryBytes?: number;
}

/** The table that a batch of segments goes to. */
export type TableTarget = Pick<Dataset, 'entry' | 'table' | 'directory' | 'location'>;

export interface TableResult {
  readonly outcomes: readonly SegmentOutcome[];
  readonly registration: Registration | undefined;
}

export type TablePorts = RegisterPorts &
  EntryPorts & {
    /** Milliseconds that the invocation has left. */
    readonly remainingMs: () => number;
    readonly footerMemory: FooterMemory;
  };
