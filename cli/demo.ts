import { Command } from 'commander';
import { helpText } from './help-text.ts';

/** `iceberg-registrar demo`: the whole job on embedded services, verified by an engine that is not this project's code. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Play the whole job on embedded services: a shipper, redeliveries, a cold start, a schema change, a broken file; then read everything back and compare it',
    )
    .option(
      '--json',
      'print one JSON object as the last line of the output, everything else on the error stream',
    )
    .option('--keep', 'leave it running, and print what to paste into PyIceberg, DuckDB or Spark')
    .addHelpText(
      'after',
      helpText(
        ['iceberg-registrar demo', 'iceberg-registrar demo --keep'],
        '0 every value came back as it was shipped, 1 one did not',
      ),
    )
    .action(async ({ json = false, keep = false }: { json?: boolean; keep?: boolean }) => {
      const { runDemo } = await import('../local/demo/demo.ts');
      process.exitCode = await runDemo({ json, keep });
    });
}
