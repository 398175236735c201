import { beforeAll, describe, expect, test } from 'vitest';
import { PUBLISHED } from '../../lib/report/metrics.ts';
import { deployable, templateOf } from './deployable.ts';

const NAMESPACE = 'iceberg-registrar/test';

/** `metric[dimension, …]` of everything that the functions publish. */
const published = new Set(
  Object.values(PUBLISHED).flatMap(({ dimensions, metrics }) =>
    Object.keys(metrics).flatMap((name) => dimensions.map((set) => `${name}[${set.join()}]`)),
  ),
);

interface MetricStat {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string }[];
}

let alarms: readonly (MetricStat & {
  readonly Metrics?: readonly { MetricStat?: { Metric: MetricStat } }[];
})[];
let dashboard: string;
beforeAll(async () => {
  const template = templateOf(await deployable({ table_freshness: { 'analytics.orders': '15m' } }));
  alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties,
  );
  const [board] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
  dashboard = board?.['Properties'].DashboardBody['Fn::Join'][1]
    .map((part: unknown) => (typeof part === 'string' ? part : ''))
    .join('');
});

/** A metric or a dimension under another name than the functions publish has no data, so that its alarm never fires. */
describe('what the functions publish', () => {
  test('is what the alarms watch', () => {
    const watched = alarms
      .flatMap((alarm) => alarm.Metrics?.flatMap(({ MetricStat }) => MetricStat?.Metric ?? []) ?? alarm)
      .filter(({ Namespace }) => Namespace === NAMESPACE)
      .map(
        ({ MetricName, Dimensions = [] }) => `${MetricName}[${Dimensions.map(({ Name }) => Name).join()}]`,
      );
    expect(watched.length).toBeGreaterThan(10);
    expect(watched.filter((metric) => !published.has(metric))).toEqual([]);
  });

  test('is what the dashboard shows', () => {
    const totals = [...dashboard.matchAll(/\["iceberg-registrar\/test","([^"]+)",\{/g)].map(
      ([, name]) => `${name}[]`,
    );
    const searches = [
      ...dashboard.matchAll(/SEARCH\('\{\\"iceberg-registrar\/test\\",(\w+)\} MetricName=\\"(\w+)\\"'/g),
    ].map(([, dimension, name]) => `${name}[${dimension}]`);
    expect(totals.length).toBeGreaterThan(5);
    expect(searches.length).toBeGreaterThan(5);
    expect([...totals, ...searches].filter((metric) => !published.has(metric))).toEqual([]);
  });

  test('shows on the dashboard what became of every segment', () => {
    const ends = Object.keys(PUBLISHED['registered']?.metrics ?? {});
    expect(ends.filter((end) => !dashboard.includes(`["${NAMESPACE}","${end}",{`))).toEqual([]);
  });
});

test('the dashboard is named for its region, since all regions of an account share the names', async () => {
  const template = templateOf(await deployable());
  template.hasResourceProperties('AWS::CloudWatch::Dashboard', {
    DashboardName: { 'Fn::Join': ['', ['iceberg-registrar-test-', { Ref: 'AWS::Region' }]] },
  });
});
