import { Argument, type Command, Command as NewCommand } from 'commander';
import { LAYOUT_PRESET_NAMES } from '../lib/config/layout-presets.ts';
import { helpText } from './help-text.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** What may follow a sequence of words: `quarantine list` → its options. */
interface Choices {
  readonly path: string;
  readonly words: readonly string[];
  /** Its options that take a value, with the values to offer; without any, files are offered. */
  readonly values: readonly (readonly [option: string, offered: readonly string[]])[];
}

/** Values worth offering although others are accepted. */
const SUGGESTED: Readonly<Record<string, readonly string[]>> = { '--layout': LAYOUT_PRESET_NAMES };

/** `iceberg-registrar completion bash|zsh|fish`: a script generated from the existing commands. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return new NewCommand('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      helpText([
        'iceberg-registrar completion bash >> ~/.bashrc',
        'iceberg-registrar completion fish > ~/.config/fish/completions/iceberg-registrar.fish',
      ]),
    )
    .action((shell: Shell) => {
      const top = commands();
      const choices = [
        { path: '', words: ['help', ...namesOf(top)], values: [] },
        { path: 'help', words: namesOf(top), values: [] },
        ...top.flatMap(helpOfBelow),
        ...top.flatMap((command) => choicesOf(command, [])),
      ];
      console.log(SCRIPTS[shell](choices));
    });
}

function namesOf(commands: readonly Command[]): readonly string[] {
  return commands.map((command) => command.name());
}

function helpOfBelow(command: Command): readonly Choices[] {
  if (command.commands.length === 0) return [];
  return [{ path: `help ${command.name()}`, words: namesOf(command.commands), values: [] }];
}

function choicesOf(command: Command, parents: readonly string[]): readonly Choices[] {
  const path = [...parents, command.name()];
  const words = [
    ...namesOf(command.commands),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
  const values = command.options.flatMap(({ long, required, argChoices }) =>
    long && required ? [[long, argChoices ?? SUGGESTED[long] ?? []] as const] : [],
  );
  return [
    { path: path.join(' '), words, values },
    ...command.commands.flatMap((one) => choicesOf(one, path)),
  ];
}

const SCRIPTS: Readonly<Record<Shell, (choices: readonly Choices[]) => string>> = {
  bash: (choices) => `_iceberg_registrar() {
  local path= previous= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$previous" in
      ${valued(choices).join('|')}) ;;
      *) [[ $word == -* || $word == */* ]] || path="\${path:+$path }$word" ;;
    esac
    previous=$word
  done
  case "$path $previous" in
${offeredValues(choices)
  .map(([option, values]) => `    '${option}') ${reply(values)}; return ;;`)
  .join('\n')}
  esac
  # Files, which bash offers where a function offers nothing.
  case "$previous" in ${valued(choices).join('|')}) COMPREPLY=(); return ;; esac
  case "$path" in
${choices.map(({ path, words }) => `    '${path}') ${reply(words)} ;;`).join('\n')}
    *) COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")) ;;
  esac
}
complete -o default -F _iceberg_registrar iceberg-registrar`,
  zsh: (choices) => `autoload -U +X bashcompinit && bashcompinit\n${SCRIPTS.bash(choices)}`,
  fish: (choices) =>
    choices
      .flatMap(({ path, words, values }) => {
        const condition =
          path === ''
            ? '__fish_use_subcommand'
            : path
                .split(' ')
                .map((word) => `__fish_seen_subcommand_from ${word}`)
                .join('; and ');
        const offered = new Map(values);
        return words.map(
          (word) => `complete -c iceberg-registrar -n '${condition}' ${fishWord(word, offered.get(word))}`,
        );
      })
      .join('\n'),
};

/** Every option that takes a value: the word after it is none of the path. */
function valued(choices: readonly Choices[]): readonly string[] {
  return [...new Set(choices.flatMap(({ values }) => values.map(([option]) => option)))];
}

/** `init --layout` → the names of the presets, for every option that has values to offer. */
function offeredValues(choices: readonly Choices[]): readonly (readonly [string, readonly string[]])[] {
  return choices.flatMap(({ path, values }) =>
    values.flatMap(([option, offered]) =>
      offered.length === 0 ? [] : [[`${path} ${option}`, offered] as const],
    ),
  );
}

function reply(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "\${COMP_WORDS[COMP_CWORD]}"))`;
}

function fishWord(word: string, values: readonly string[] | undefined): string {
  if (!word.startsWith('--')) return `-a ${word}`;
  const option = `-l ${word.slice(2)}`;
  if (values === undefined) return option;
  return values.length === 0 ? `${option} -r` : `${option} -x -a '${values.join(' ')}'`;
}
