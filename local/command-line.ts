import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Reads the command line as `parseArgs` does. One that it refuses ends the process with a line that names the options there are. */
export function readCommandLine<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!String(code).startsWith('ERR_PARSE_ARGS')) throw error;
    const [reason = ''] = message.split(/\.(?:\s|$)/);
    const known = Object.entries(config.options ?? {}).map(([name, { type }]) =>
      config.allowNegative && type === 'boolean' ? `--[no-]${name}` : `--${name}`,
    );
    return refuse(`Cannot start: ${reason.replaceAll("'", '"')}; the options are ${known.join(', ')}`);
  }
}

/** Ends the process with a line on what its reader can mend. */
export function refuse(problem: string): never {
  console.error(`config.invalid: ${problem}`);
  process.exit(1);
}
