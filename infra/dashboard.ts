import { Duration, Stack } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Deployment } from './deployment.ts';
import { type Functions, metricsNamespace } from './functions.ts';
import type { Queues } from './queues.ts';

const PERIOD = Duration.minutes(5);
const WIDE = 24;
const HALF = WIDE / 2;

/** Adds a dashboard that answers on one page: is everything available, fresh and healthy, and if not, which dataset? */
export function addDashboard(
  scope: Construct,
  { stage }: Deployment,
  queues: Queues,
  functions: Functions,
  alarms: readonly Alarm[],
): void {
  const namespace = metricsNamespace(stage);
  const total = (metricName: string, label: string, statistic: string = Stats.SUM) =>
    new Metric({ namespace, metricName, label, statistic, period: PERIOD });
  const search = (dimension: string, metricName: string, statistic: string) =>
    new MathExpression({
      expression: `SEARCH('{"${namespace}",${dimension}} MetricName="${metricName}"', '${statistic}', ${PERIOD.toSeconds()})`,
      usingMetrics: {},
      label: '',
      period: PERIOD,
    });
  const byTable = (metricName: string, statistic: string) => search('table', metricName, statistic);
  const graph = (title: string, left: IMetric[], unit: string) =>
    new GraphWidget({ title, left, leftYAxis: { label: unit, showUnits: false, min: 0 }, width: HALF });
  const waiting = { period: PERIOD, statistic: Stats.MAXIMUM };

  new Dashboard(scope, 'Dashboard', {
    // All regions of an account share the names of dashboards, so the same stage in another region needs another name.
    dashboardName: `iceberg-registrar-${stage}-${Stack.of(scope).region}`,
    widgets: [
      [
        new SingleValueWidget({
          title: 'Tables that are not',
          metrics: [
            total('tablesUnavailable', 'available', Stats.MAXIMUM),
            total('tablesStale', 'fresh', Stats.MAXIMUM),
            total('tablesUnhealthy', 'healthy', Stats.MAXIMUM),
          ],
          width: HALF,
          height: 4,
        }),
        new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: HALF, height: 4 }),
      ],
      [
        graph('Age of the newest snapshot, by table', [byTable('ageMs', 'Maximum')], 'ms'),
        graph('From notification to snapshot, by table', [byTable('lagMs', 'Maximum')], 'ms'),
      ],
      [
        graph('Segments committed, by table', [byTable('segments', 'Sum')], 'segments'),
        graph('Failures, by table', [byTable('failures', 'Sum')], 'failures'),
      ],
      [
        graph('History in which absence can be proven, by table', [byTable('historyMs', 'Minimum')], 'ms'),
        graph('Set aside, by code', [search('code', 'quarantined', 'Sum')], 'segments'),
      ],
      [
        graph(
          'Waiting',
          [
            queues.arrivals.metricApproximateNumberOfMessagesVisible(waiting),
            queues.registrations.metricApproximateNumberOfMessagesVisible(waiting),
          ],
          'messages',
        ),
        graph(
          'Oldest',
          [
            queues.arrivals.metricApproximateAgeOfOldestMessage(waiting),
            queues.registrations.metricApproximateAgeOfOldestMessage(waiting),
          ],
          's',
        ),
      ],
      [
        graph(
          'Functions that ran at once',
          [functions.route, functions.register].map((one) => one.metric('ConcurrentExecutions', waiting)),
          'functions',
        ),
        graph(
          'What became of segments',
          ['committed', 'already-registered', 're-uploaded', 'quarantined', 'failed', 'missing', 'empty'].map(
            (end) => total(end, end),
          ),
          'segments',
        ),
      ],
      [
        new LogQueryWidget({
          title: 'Tables that are not available, fresh or healthy',
          logGroupNames: [`/aws/lambda/iceberg-registrar-${stage}-health`],
          queryLines: [
            'fields @timestamp, table, available, fresh, healthy, advice',
            'filter event = "table-health" and (available = 0 or fresh = 0 or healthy = 0)',
            'sort @timestamp desc',
            'limit 50',
          ],
          width: WIDE,
        }),
      ],
    ],
  });
}
