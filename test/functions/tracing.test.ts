import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { orders } from '../../local/shipper/orders.ts';
import { makeSegment } from '../../local/shipper/segment.ts';
import { type Registration, startRegistration } from '../jobs/registration.ts';

const HEADER = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1';

const exporter = new InMemorySpanExporter();
let registration: Registration;
beforeAll(async () => {
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  registration = await startRegistration({ tracing: true });
});
afterAll(() => registration.close());
beforeEach(() => {
  exporter.reset();
  registration.fault = undefined;
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** One invocation of a new container of the function. */
async function invoke(configuration: string) {
  vi.stubEnv('REGISTRAR_CONFIG', configuration);
  const { registerEvent } = await import('../../lib/wire/functions.ts');
  const made = makeSegment(orders, 0, 0);
  const { key, size, eTag } = registration.upload(made.key, made.bytes);
  const object = { key, size, eTag, sequencer: '0A' };
  const record = {
    eventVersion: '2.1',
    eventSource: 'aws:s3',
    eventName: 'ObjectCreated:Put',
    s3: { bucket: { name: 'lake' }, object },
  };
  const message = {
    messageId: 'm1',
    receiptHandle: 'r1',
    eventSource: 'aws:sqs',
    body: JSON.stringify({ Records: [record] }),
    attributes: { ApproximateReceiveCount: '1', MessageGroupId: 'g', AWSTraceHeader: HEADER },
  };
  return registerEvent({ Records: [message] }, { getRemainingTimeInMillis: () => 60_000 });
}

const configuration = () => registration.environment['REGISTRAR_CONFIG'] ?? '';
const named = (name: string): ReadableSpan => {
  const span = exporter.getFinishedSpans().find((one) => one.name === `iceberg-registrar ${name}`);
  if (span === undefined) throw new Error(`no span ${name}`);
  return span;
};
const parentOf = (span: ReadableSpan) =>
  exporter.getFinishedSpans().find((one) => one.spanContext().spanId === span.parentSpanContext?.spanId)
    ?.name;

describe('traces', () => {
  test('have a span for the invocation, and below it what it waited for', async () => {
    await invoke(configuration());
    const table = { 'iceberg-registrar.table': 'lake.orders', 'iceberg-registrar.segments': 1 };
    expect(named('register')).toMatchObject({
      kind: SpanKind.CONSUMER,
      attributes: { 'iceberg-registrar.messages-failed': 0 },
      links: [
        {
          context: {
            traceId: '5759e988bd862e3fe1be46a994272793',
            spanId: '53995c3f42cd8ad8',
            traceFlags: 1,
            isRemote: true,
          },
        },
      ],
    });
    expect(named('table').attributes).toEqual({
      ...table,
      'iceberg-registrar.outcome': 'committed',
      'iceberg-registrar.snapshot-id': expect.stringMatching(/^\d+$/),
      'iceberg-registrar.attempts': 1,
    });
    expect(named('footers').attributes).toEqual(table);
    expect(named('stage').attributes).toEqual(table);
    expect(named('commit').attributes).toEqual({ ...table, 'iceberg-registrar.outcome': 'landed' });
    expect(['table', 'footers', 'stage', 'commit'].map((name) => parentOf(named(name)))).toEqual([
      'iceberg-registrar register',
      ...Array(3).fill('iceberg-registrar table'),
    ]);
  });

  test('have a span for each look at the tables, and for what Google calls', async () => {
    await invoke(configuration());
    exporter.reset();
    const { healthEvent, reconcileEvent, cloudEventArrived, pullRequested } = await import(
      '../../lib/wire/functions.ts'
    );
    await healthEvent();
    await reconcileEvent({ missing: 'report' }, { getRemainingTimeInMillis: () => 60_000 });
    await cloudEventArrived({
      specversion: '1.0',
      type: 'google.cloud.storage.object.v1.finalized',
      data: { bucket: 'elsewhere', name: 'x.parquet', generation: '1' },
    });
    await expect(pullRequested({})).rejects.toThrow();
    expect(named('health').status.code).toBe(SpanStatusCode.UNSET);
    expect(named('dataset').attributes).toEqual({ 'iceberg-registrar.table': 'lake.orders' });
    expect(parentOf(named('dataset'))).toBe('iceberg-registrar reconcile');
    expect(named('register').kind).toBe(SpanKind.CONSUMER);
    expect(named('pull').attributes).toEqual({ 'error.type': 'config.invalid' });
  });

  test('say of a failure its code, and none of its words (I10)', async () => {
    registration.fault = ({ path }) =>
      path.includes('.parquet') ? { when: 'before', answer: { status: 403 } } : undefined;
    const { batchItemFailures } = await invoke(configuration());
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'm1' }]);
    expect(named('register').attributes).toEqual({ 'iceberg-registrar.messages-failed': 1 });
    expect(named('table').attributes).toMatchObject({ 'iceberg-registrar.outcome': 'failed' });
    expect(named('footers').attributes['error.type']).toMatch(/^[a-z_]+\.[a-z_]+$/);
    expect(named('footers').status).toEqual({
      code: SpanStatusCode.ERROR,
      message: named('footers').attributes['error.type'],
    });
    expect(named('footers').events).toEqual([]);
  });

  test('are none, and OpenTelemetry is not loaded, where no entry asks for them', async () => {
    let isLoaded = false;
    vi.doMock('../../lib/drivers/tracing.ts', () => {
      isLoaded = true;
      return {};
    });
    await invoke(JSON.stringify({ ...JSON.parse(configuration()), tracing: false }));
    vi.doUnmock('../../lib/drivers/tracing.ts');
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(isLoaded).toBe(false);
  });
});
