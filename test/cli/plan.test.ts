import { describe, expect, test } from 'vitest';
import { eventFile, testEvent } from './event-files.ts';
import { runCli } from './run.ts';

describe('iceberg-registrar plan, without a configuration', () => {
  test.each([[{}], [[]], [null], [{ Records: [] }]])(
    'refuses %j for what it is, and exits 3',
    async (event) => {
      const { status, stdout, stderr } = await runCli(['plan', eventFile(event)], {});
      expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
      expect(stdout).toMatch(/^refused {3}event\.malformed: .*\nNothing was done\.\n$/);
    },
  );

  test('has nothing to do for a test event, and exits 4', async () => {
    const { status, stdout } = await runCli(['plan', eventFile(testEvent)], {});
    expect({ status, stdout }).toEqual({ status: 4, stdout: 'ignored   test-event\nNothing was done.\n' });
  });

  test.each(['events/gcs.json', 'events/pubsub.json'])('says that %s needs a configuration', async (file) => {
    const { status, stdout, stderr } = await runCli(['plan', file], {});
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      /^config\.invalid: Cannot generate "gs:\/\/lake\/.*": .*set REGISTRAR_CONFIG.*\n$/,
    );
  });
});
