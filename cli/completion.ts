import { Argument, type Command, Command as NewCommand } from 'commander';
import { helpText } from './help-text.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** What may follow a sequence of words: `quarantine list` → its options. */
interface Choices {
  readonly path: string;
  readonly words: readonly string[];
}

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
        { path: '', words: ['help', ...top.map((command) => command.name())] },
        ...top.flatMap((command) => choicesOf(command, [])),
      ];
      console.log(SCRIPTS[shell](choices));
    });
}

function choicesOf(command: Command, parents: readonly string[]): readonly Choices[] {
  const path = [...parents, command.name()];
  const words = [
    ...command.commands.map((one) => one.name()),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...command.options.flatMap(({ long }) => long ?? []),
    '--help',
  ];
  return [{ path: path.join(' '), words }, ...command.commands.flatMap((one) => choicesOf(one, path))];
}

const SCRIPTS: Readonly<Record<Shell, (choices: readonly Choices[]) => string>> = {
  bash: (choices) => `_iceberg_registrar() {
  local path= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* || $word == */* ]] || path="\${path:+$path }$word"
  done
  case "$path" in
${choices.map(({ path, words }) => `    ${path === '' ? "''" : `'${path}'`}) COMPREPLY=($(compgen -W '${words.join(' ')}' -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`).join('\n')}
    *) COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")) ;;
  esac
}
complete -o default -F _iceberg_registrar iceberg-registrar`,
  zsh: (choices) => `autoload -U +X bashcompinit && bashcompinit\n${SCRIPTS.bash(choices)}`,
  fish: (choices) =>
    choices
      .flatMap(({ path, words }) => {
        const condition =
          path === ''
            ? '__fish_use_subcommand'
            : path
                .split(' ')
                .map((word) => `__fish_seen_subcommand_from ${word}`)
                .join('; and ');
        return words.map(
          (word) =>
            `complete -c iceberg-registrar -n '${condition}' ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}`,
        );
      })
      .join('\n'),
};
