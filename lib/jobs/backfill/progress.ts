import { type ObjectCount, type Pace, paceOf } from '../pace.ts';
import type { BackfillReport } from './backfill-report.ts';
import { storeDollars } from './requests.ts';

/**
 * How far a backfill has come. The rate counts segments brought to any outcome; objects that turn out to be registered reduce
 * what is left.
 */
export interface Progress extends Pace {
  readonly report: BackfillReport;
  /** Price of the store requests so far, in dollars. */
  readonly dollars: number;
  /** The same extrapolated to the end; undefined until all objects are counted. */
  readonly totalDollars: number | undefined;
}

export function progressOf(report: BackfillReport, count: ObjectCount): Progress {
  const ended = Object.values(report.done).reduce((sum, ends) => sum + ends, 0);
  const left = Math.max(0, count.counted - report.registered - report.ignored - ended);
  const dollars = storeDollars(report.requests);
  return {
    report,
    ...paceOf(count, ended, left, report.durationMs),
    dollars,
    totalDollars: count.isAll && ended > 0 ? dollars * (1 + left / ended) : undefined,
  };
}
