import { Command } from 'commander';
import { helpText } from './help-text.ts';

/** `iceberg-registrar demo`: the whole pipeline on embedded services, verified by an independent engine. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Run the whole pipeline on embedded services: a shipper, redeliveries, a cold start, a schema change, a broken file; then read every value back and compare it',
    )
    .option('--json', 'print one JSON object on standard output, everything else on standard error')
    .option(
      '--keep',
      'keep the services running, and print how to query the tables with PyIceberg, DuckDB or Spark',
    )
    .addHelpText(
      'after',
      helpText(
        ['iceberg-registrar demo', 'iceberg-registrar demo --keep'],
        '0 every value came back as it was shipped, 1 at least one did not',
      ),
    )
    .action(async ({ json = false, keep = false }: { json?: boolean; keep?: boolean }) => {
      const { runDemo } = await import('../local/demo/demo.ts');
      process.exitCode = await runDemo({ json, keep });
    });
}
