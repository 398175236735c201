import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Deployment } from './deployment.ts';
import { type Functions, metricsNamespace } from './functions.ts';
import type { Queues } from './queues.ts';

interface AlarmDefinition {
  readonly name: string;
  /** The heading in docs/operating.md that says what to do. @default its name */
  readonly heading?: string;
  readonly meaning: string;
  readonly metric: IMetric;
  /** The alarm is raised above this value. */
  readonly above: number;
  /** Number of consecutive periods above the threshold that raise the alarm. @default 1 */
  readonly periods?: number;
  /** What a period without data means. @default not a breach */
  readonly missing?: TreatMissingData;
}

const PERIOD = Duration.minutes(5);
const ARRIVALS_AGE_SECONDS = 15 * 60;
/** A table may be unhealthy for this long without an alarm, since maintenance may be running. */
const UNHEALTHY_MINUTES = 60;

/** Adds the alarms, which notify the deployment's topic if it has one. */
export function addAlarms(
  scope: Construct,
  deployment: Deployment,
  queues: Queues,
  functions: Functions,
): readonly Alarm[] {
  const topic =
    deployment.alarm_topic_arn === undefined
      ? undefined
      : new SnsAction(Topic.fromTopicArn(scope, 'AlarmTopic', deployment.alarm_topic_arn));
  return definitions(deployment, queues, functions).map(
    ({ name, heading = name, meaning, metric, above, periods, missing }) => {
      const alarm = new Alarm(scope, `Alarm-${name}`, {
        alarmName: `iceberg-registrar-${deployment.stage}-${name}`,
        alarmDescription: `${meaning} What to do: docs/operating.md#${heading}`,
        metric,
        threshold: above,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: periods ?? 1,
        treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
      });
      if (topic !== undefined) {
        alarm.addAlarmAction(topic);
        alarm.addOkAction(topic);
      }
      return alarm;
    },
  );
}

function definitions(
  { stage, fifo_depth_alarm, health_minutes, table_freshness }: Deployment,
  queues: Queues,
  { register, route, health, reconcile }: Functions,
): readonly AlarmDefinition[] {
  const own = (metricName: string, statistic: string, dimensionsMap = {}, period = PERIOD) =>
    new Metric({ namespace: metricsNamespace(stage), metricName, statistic, period, dimensionsMap });
  // With a shorter period, the periods between two checks would have no data and would end the alarm.
  const lookMinutes = PERIOD.toMinutes() * Math.ceil(health_minutes / PERIOD.toMinutes());
  const look = (metricName: string, dimensionsMap = {}) =>
    own(metricName, Stats.MAXIMUM, dimensionsMap, Duration.minutes(lookMinutes));
  const waiting = { period: PERIOD, statistic: Stats.MAXIMUM };
  // No value can exceed the threshold: only missing data raises this alarm.
  const silent = {
    missing: TreatMissingData.BREACHING,
    periods: Math.max(3, Math.ceil((3 * health_minutes) / PERIOD.toMinutes())),
  };
  return [
    {
      name: 'tables-unavailable',
      meaning: 'A table cannot be loaded or read.',
      metric: look('tablesUnavailable'),
      above: 0,
      periods: 2,
    },
    {
      name: 'tables-stale',
      meaning: 'The newest snapshot of a table is older than its freshness.',
      metric: look('tablesStale'),
      above: 0,
      periods: 2,
    },
    {
      name: 'tables-unhealthy',
      meaning: 'A table needs maintenance.',
      metric: look('tablesUnhealthy'),
      above: 0,
      periods: Math.max(2, Math.ceil(UNHEALTHY_MINUTES / lookMinutes)),
    },
    ...Object.entries(table_freshness).map(([table, freshnessMs]) => ({
      name: `table-stale-${table}`,
      heading: 'tables-stale',
      meaning: `The newest snapshot of ${table} is older than its freshness.`,
      metric: look('ageMs', { table }),
      above: freshnessMs,
      periods: 2,
    })),
    {
      name: 'health-silent',
      meaning: 'The health check has not run.',
      metric: health.metricInvocations({ period: PERIOD }),
      above: Number.MAX_SAFE_INTEGER,
      ...silent,
    },
    {
      name: 'health-failing',
      meaning: 'The health check fails.',
      metric: health.metricErrors({ period: PERIOD }),
      above: 0,
      periods: 2,
    },
    {
      name: 'arrivals-waiting',
      meaning: 'Notifications wait longer than 15 minutes.',
      metric: queues.arrivals.metricApproximateAgeOfOldestMessage(waiting),
      above: ARRIVALS_AGE_SECONDS,
    },
    {
      name: 'arrivals-dead',
      meaning: 'Notifications could not be routed and are in the dead-letter queue.',
      metric: queues.arrivalsDlq.metricApproximateNumberOfMessagesVisible(waiting),
      above: 0,
    },
    {
      name: 'registrations-dead',
      meaning: 'Messages could not be registered and are in the dead-letter queue.',
      metric: queues.registrationsDlq.metricApproximateNumberOfMessagesVisible(waiting),
      above: 0,
    },
    {
      name: 'registrations-deep',
      meaning: 'The FIFO queue is deep: SQS looks for free groups among the first 120,000 messages only.',
      metric: queues.registrations.metricApproximateNumberOfMessagesVisible(waiting),
      above: fifo_depth_alarm,
    },
    {
      name: 'keys-unroutable',
      meaning: 'More than 1 % of arriving keys map to no table.',
      metric: new MathExpression({
        expression: '100 * unroutable / (unroutable + routed)',
        usingMetrics: { unroutable: own('unroutable', Stats.SUM), routed: own('routed', Stats.SUM) },
        label: '% unroutable',
        period: PERIOD,
      }),
      above: 1,
    },
    {
      name: 'segments-quarantined',
      meaning: 'Segments were quarantined.',
      metric: own('quarantined', Stats.SUM),
      above: 0,
    },
    {
      name: 'notification-missing',
      meaning: "A bucket's notifications no longer point at the arrivals queue.",
      metric: look('notificationsMissing'),
      above: 0,
    },
    {
      name: 'segments-missed',
      meaning: 'Reconcile found segments for which no notification arrived.',
      metric: own('reconcileMissing', Stats.SUM),
      above: 0,
    },
    {
      name: 'commits-lost',
      meaning: 'Commits that had landed are gone from the catalog.',
      metric: own('commitsLost', Stats.SUM),
      above: 0,
    },
    {
      name: 'history-short',
      meaning: 'Snapshots expire almost faster than messages are registered.',
      metric: own('historyShort', Stats.SUM),
      above: 0,
    },
    {
      name: 'auth-failed',
      meaning: 'The catalog, the store or the queue refuses the credentials.',
      metric: own('failures', Stats.SUM, { code: 'auth.failed' }),
      above: 0,
    },
    {
      name: 'register-failing',
      meaning: 'The register function fails.',
      metric: register.metricErrors({ period: PERIOD }),
      above: 0,
      periods: 3,
    },
    {
      name: 'route-failing',
      meaning: 'The route function fails.',
      metric: route.metricErrors({ period: PERIOD }),
      above: 0,
      periods: 3,
    },
    {
      name: 'reconcile-failing',
      meaning: 'The reconcile function failed.',
      metric: reconcile.metricErrors({ period: PERIOD }),
      above: 0,
    },
  ];
}
