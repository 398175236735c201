import { Command, CommanderError } from 'commander';
import { RegistrarError } from '../lib/errors.ts';
import { backfillCommand } from './backfill.ts';
import { completionCommand } from './completion.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { initCommand } from './init.ts';
import { inspectCommand } from './inspect.ts';
import { invokeCommand } from './invoke.ts';
import { planCommand } from './plan.ts';
import { quarantineCommand } from './quarantine.ts';
import { reconcileCommand } from './reconcile.ts';
import { repairCommand } from './repair.ts';
import { settingsCommand } from './settings.ts';
import { statusCommand } from './status.ts';

/** The command line: one file a command, each calling one job. Answers the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const program = new Command('iceberg-registrar')
    .description('Registers Parquet segments that already lie in an object store in Apache Iceberg tables.')
    .exitOverride()
    .showHelpAfterError('(run with --help for the commands)');
  for (const command of commands()) program.addCommand(command.copyInheritedSettings(program));

  try {
    await program.parseAsync([...argv]);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof RegistrarError) {
      console.error(`${error.code}: ${error.message}`);
      return 1;
    }
    throw error;
  }
}

function commands(): readonly Command[] {
  return [
    backfillCommand(),
    completionCommand(commands),
    demoCommand(),
    doctorCommand(),
    explainCommand(),
    initCommand(),
    inspectCommand(),
    invokeCommand(),
    planCommand(),
    quarantineCommand(),
    reconcileCommand(),
    repairCommand(),
    settingsCommand(),
    statusCommand(),
  ];
}
