import { Command, CommanderError } from 'commander';
import { RegistrarError } from '../lib/errors.ts';
import { version } from '../lib/version.ts';
import { backfillCommand } from './backfill/backfill.ts';
import { completionCommand } from './completion.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { explainCommand } from './explain.ts';
import { initCommand } from './init/init.ts';
import { inspectCommand } from './inspect/inspect.ts';
import { invokeCommand } from './invoke.ts';
import { planCommand } from './plan/plan.ts';
import { printable } from './printable.ts';
import { quarantineCommand } from './quarantine.ts';
import { reconcileCommand } from './reconcile.ts';
import { repairCommand } from './repair.ts';
import { settingsCommand } from './settings.ts';
import { statusCommand } from './status/status.ts';

/** Runs the command line, one file per command and one job per command. Returns the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const program = new Command('iceberg-registrar')
    .description('Register Parquet files that are already in an object store in Apache Iceberg tables')
    .version(version, '--version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(add --help to see usage)');
  for (const command of commands()) program.addCommand(inheriting(command, program));

  try {
    await program.parseAsync(understood(program, argv.slice(2)), { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    if (error instanceof RegistrarError) {
      const lines = `${error.code}: ${error.message}`.split('\n');
      console.error(lines.map(printable).join('\n'));
      return 1;
    }
    throw error;
  }
}

/** Makes a command and its subcommands inherit the parent's settings. */
function inheriting(command: Command, parent: Command): Command {
  for (const below of command.copyInheritedSettings(parent).commands) inheriting(below, command);
  return command;
}

/**
 * The words of a command line, so that commander refuses a command that does not exist when its help is asked for (`help statu`,
 * `statu --help`) as it does otherwise. By itself it prints the help of everything, without a word on what is wrong.
 */
function understood(program: Command, words: readonly string[]): readonly string[] {
  const path: string[] = [];
  let command = program;
  let isHelp = false;
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) break;
    if (word === 'help') {
      isHelp = true;
      continue;
    }
    path.push(word);
    const below = command.commands.find((one) => one.name() === word);
    if (below === undefined) return path;
    command = below;
  }
  return isHelp ? [...path, '--help'] : words;
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
