/** One measurement of a table or queue, and what to do when it is beyond its threshold. */
export interface Check {
  readonly measure: string;
  readonly value: number;
  /** The largest acceptable value, or with `atLeast` the smallest. */
  readonly threshold: number;
  readonly atLeast?: true;
  readonly ok: boolean;
  readonly unit: Unit;
  readonly advice: string;
}

export type Unit = 'ms' | 'bytes' | 'count' | 'share';

/** What an examination found out, of a table, a queue or a quarantine. */
export interface Examined {
  readonly checks: readonly Check[];
  /** What could not be determined. */
  readonly problem?: string | undefined;
}

/** What could not be determined, and each failed check with what to do: `snapshots: expire_snapshots: …` */
export function adviceOf(
  { problem, checks }: Examined,
  nameOf: (check: Check) => string = ({ measure }) => measure,
): readonly string[] {
  return [
    ...(problem === undefined ? [] : [problem]),
    ...checks.filter(({ ok }) => !ok).map((check) => `${nameOf(check)}: ${check.advice}`),
  ];
}

export function atMost(measure: string, value: number, threshold: number, unit: Unit, advice: string): Check {
  return { measure, value, threshold, ok: value <= threshold, unit, advice };
}

export function atLeast(
  measure: string,
  value: number,
  threshold: number,
  unit: Unit,
  advice: string,
): Check {
  return { measure, value, threshold, atLeast: true, ok: value >= threshold, unit, advice };
}
