import type { ObjectCount } from '../object-count.ts';
import type { BackfillReport } from './backfill-report.ts';
import { storeDollars } from './requests.ts';

export interface Progress {
  readonly report: BackfillReport;
  readonly count: ObjectCount;
  /** Segments brought to an end, whichever, each second so far. */
  readonly perSecond: number;
  /** At this rate; undefined until all objects are counted. Objects that turn out to be registered make it shorter. */
  readonly leftMs: number | undefined;
  /** What the store asks for the requests so far, in dollars. */
  readonly dollars: number;
  /** And until the end, at this rate. */
  readonly totalDollars: number | undefined;
}

export function progressOf(report: BackfillReport, count: ObjectCount): Progress {
  const ended = Object.values(report.done).reduce((sum, ends) => sum + ends, 0);
  const perSecond = report.durationMs === 0 ? 0 : (ended / report.durationMs) * 1_000;
  const dollars = storeDollars(report.requests);
  const left = Math.max(0, count.counted - report.registered - report.ignored - ended);
  const isForeseeable = count.isAll && ended > 0;
  return {
    report,
    count,
    perSecond,
    leftMs: isForeseeable ? (left / perSecond) * 1_000 : undefined,
    dollars,
    totalDollars: isForeseeable ? dollars * (1 + left / ended) : undefined,
  };
}
