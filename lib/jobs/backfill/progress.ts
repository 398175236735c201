import { type ObjectCount, type Pace, paceOf } from '../pace.ts';
import type { BackfillReport } from './backfill-report.ts';
import { storeDollars } from './requests.ts';

/** Its rate is of segments brought to an end, whichever. Objects that turn out to be registered make what is left shorter. */
export interface Progress extends Pace {
  readonly report: BackfillReport;
  /** What the store asks for the requests so far, in dollars. */
  readonly dollars: number;
  /** And until the end, at this rate. */
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
