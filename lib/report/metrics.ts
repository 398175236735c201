import type { Clock, Log, LogRecord } from '../ports.ts';

type Unit = 'Count' | 'Milliseconds';

interface Published {
  /** Every set of dimensions is a separate, billed time series. `[]` is the total. */
  readonly dimensions: readonly (readonly string[])[];
  /** Maps each metric to its unit and, if it is named differently, the field with its value; `1` counts the lines. */
  readonly metrics: Readonly<Record<string, readonly [unit: Unit, of?: string | 1]>>;
}

const COUNT = ['Count'] as const;
const ONE = ['Count', 1] as const;

/** The log lines that are also metrics, by `event`. docs/operating.md lists their fields. */
export const PUBLISHED: Readonly<Record<string, Published>> = {
  committed: {
    dimensions: [['table']],
    metrics: { segments: COUNT, lagMs: ['Milliseconds'] },
  },
  registered: {
    dimensions: [[]],
    metrics: {
      committed: COUNT,
      'already-registered': COUNT,
      quarantined: COUNT,
      failed: COUNT,
      missing: COUNT,
      empty: COUNT,
      're-uploaded': COUNT,
    },
  },
  quarantined: { dimensions: [['code']], metrics: { quarantined: ONE } },
  'event.rejected': { dimensions: [[]], metrics: { quarantined: COUNT } },
  'table-failed': { dimensions: [['table'], ['code']], metrics: { failures: ONE } },
  'route.failed': { dimensions: [['code']], metrics: { failures: ONE } },
  'commits-lost': { dimensions: [[]], metrics: { commitsLost: ONE } },
  'history-short': { dimensions: [[]], metrics: { historyShort: ONE } },
  routed: {
    dimensions: [[]],
    metrics: { routed: ['Count', 'segments'], unroutable: COUNT },
  },
  reconciled: { dimensions: [[]], metrics: { reconcileMissing: ['Count', 'missing'] } },
  'table-health': {
    dimensions: [['table']],
    metrics: { ageMs: ['Milliseconds'], historyMs: ['Milliseconds'] },
  },
  health: {
    dimensions: [[]],
    metrics: {
      tablesUnavailable: COUNT,
      tablesStale: COUNT,
      tablesUnhealthy: COUNT,
      notificationsMissing: COUNT,
    },
  },
};

/**
 * A log whose lines are also CloudWatch metrics (embedded metric format). The same line reports an event and measures it, so a
 * metric cannot be missing where the line exists.
 */
export function publishingLog(log: Log, namespace: string, clock: Clock): Log {
  const publish = (record: LogRecord) => withMetrics(record, namespace, clock.now());
  return {
    info: (record) => log.info(publish(record)),
    warn: (record) => log.warn(publish(record)),
    error: (record) => log.error(publish(record)),
  };
}

/** The record with the metrics that CloudWatch is to extract from it. Fields that are not numbers are not measured. */
export function withMetrics(record: LogRecord, namespace: string, nowMs: number): LogRecord {
  const published = PUBLISHED[record.event];
  if (published === undefined) return record;
  const values = Object.entries(published.metrics).flatMap(([name, [unit, of = name]]) => {
    const value = of === 1 ? 1 : record[of];
    return typeof value === 'number' || typeof value === 'bigint' ? [{ name, unit, value }] : [];
  });
  const fields = {
    ...record,
    ...codeOf(record),
    ...Object.fromEntries(values.map(({ name, value }) => [name, value])),
  };
  const dimensions = published.dimensions.filter((set) => set.every((name) => name in fields));
  if (values.length === 0 || dimensions.length === 0) return record;
  const metrics = values.map(({ name, unit }) => ({ Name: name, Unit: unit }));
  return {
    ...fields,
    _aws: {
      Timestamp: nowMs,
      CloudWatchMetrics: [{ Namespace: namespace, Dimensions: dimensions, Metrics: metrics }],
    },
  };
}

/** The code of the line's error; a line without an error may have its own. */
function codeOf({ error }: LogRecord): { readonly code?: unknown } {
  return typeof error === 'object' && error !== null && 'code' in error ? { code: error.code } : {};
}
