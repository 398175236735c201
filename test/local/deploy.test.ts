import { describe, expect, test } from 'vitest';
import { outputNamed, type Template } from '../../local/deploy/cloudformation.ts';
import { logPrinter } from '../../local/deploy/log-printer.ts';
import { fedFunctions, localPart, queueNames } from '../../local/deploy/template.ts';
import { deployable, templateOf } from '../infra/deployable.ts';

async function synthesized(parameters: Readonly<Record<string, unknown>> = {}): Promise<Template> {
  return templateOf(await deployable(parameters)).toJSON() as Template;
}

describe('fedFunctions', () => {
  test('takes queue, batch, window and timeout from the synthesized template', async () => {
    const template = await synthesized({ route: { window: 7, timeout: 30 } });
    const names = queueNames(template);
    expect(
      fedFunctions(template).map(({ name, queue, batchSize, windowSeconds, timeoutSeconds }) => [
        name,
        names.get(queue),
        batchSize,
        windowSeconds,
        timeoutSeconds,
      ]),
    ).toEqual([
      ['register', 'iceberg-registrar-test-registrations.fifo', 10, 0, 60],
      ['route', 'iceberg-registrar-test-arrivals', 10_000, 7, 30],
    ]);
  });
});

describe('localPart', () => {
  test.each([
    ['bucket', []],
    ['eventbridge', ['AWS::Events::Rule']],
  ])(
    'of notifications by %s has queues and policies, and no function or schedule',
    async (notifications, rules) => {
      const { Resources } = localPart(await synthesized({ notifications }));
      const types = Object.values(Resources).map(({ Type }) => Type);
      expect(types.filter((type) => !type.startsWith('AWS::SQS::'))).toEqual(rules);
      expect(types.filter((type) => type === 'AWS::SQS::Queue')).toHaveLength(4);
    },
  );
});

describe('outputNamed', () => {
  test('finds an output by the part of its name that is ours', () => {
    const outputs = new Map([['RegistrarArrivalsUrl39030C4B', 'http://queue']]);
    expect(outputNamed(outputs, 'ArrivalsUrl')).toBe('http://queue');
    expect(outputNamed(outputs, 'RegistrationsUrl')).toBeUndefined();
  });
});

describe('logPrinter', () => {
  test('prints commits with whole snapshot IDs, what was set aside, and what is no log line', () => {
    const lines: string[] = [];
    const print = logPrinter((line) => lines.push(line));
    print('{"level":"info","event":"committed","table":"a.b","segments":2,"rows":20,');
    print('"snapshotId":9079692717574548301,"durationMs":12}\n{"level":"info","event":"routed"}\nboom\n');
    print(
      '{"level":"warn","event":"quarantined","table":"a.b","code":"segment.unreadable","message":"no"}\n',
    );
    expect(lines).toEqual([
      'committed    a.b: 2 segments, 20 rows, snapshot 9079692717574548301, 12 ms',
      'boom',
      'quarantined  a.b: segment.unreadable: no',
    ]);
  });
});
