/** `tidings completion`: scripts with which shells complete a command line. They follow from the declarations of the commands. */
import { type Command, UsageError } from './command.js';

type Commands = Readonly<Record<string, Command>>;

/** @param others the commands that are completed, besides this one */
export function completionOf(others: Commands): Command {
  const completion: Command = {
    usage: Object.keys(shells).join(' | '),
    summary: 'print a script that completes command lines',
    help: `  bash   source <(tidings completion bash)       in ~/.bashrc
  zsh    source <(tidings completion zsh)        in ~/.zshrc, below compinit
  fish   tidings completion fish | source        in ~/.config/fish/config.fish`,
    arguments: [1, 1],
    offers: { '': Object.keys(shells) },
    async run({ positionals: [shell = ''], terminal }) {
      const write = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
      if (write === undefined) throw new UsageError(`usage: tidings completion ${completion.usage}`);
      const script = write({ ...others, completion });
      terminal.print(script, { shell, script });
    },
  };
  return completion;
}

const shells: Readonly<Record<string, (commands: Commands) => string>> = {
  bash: (commands) => `${functionOf(commands)}\ncomplete -F _tidings tidings`,
  // zsh runs completions of bash.
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${functionOf(commands)}\ncomplete -F _tidings tidings`,
  fish: fishScript,
};

/** Options without a command. */
const alone = ['help', 'version'];
/** Options that every command has. */
const common: NonNullable<Command['options']> = { json: { type: 'boolean' }, help: { type: 'boolean' } };
const optionsOf = ({ options }: Command) => Object.entries({ ...options, ...common });
/** In single quotes, as all three shells read it. */
const quoted = (words: readonly string[]) => `'${words.join(' ').replaceAll("'", `'\\''`)}'`;

/** Runs in bash 3.2, too, which macOS has, and in zsh. */
function functionOf(commands: Commands): string {
  const names = Object.keys(commands);
  return `_tidings() {
  local command=\${COMP_WORDS[1]} word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words='' files=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words=${quoted([...names, ...alone.map((option) => `--${option}`)])}
  else
    case "$command $before" in
${names.flatMap((name) => valueCases(name, commands[name] as Command)).join('\n')}
      *)
        case "$command" in
${names.map((name) => wordCase(name, commands[name] as Command)).join('\n')}
        esac ;;
    esac
  fi
  if [ -n "$files" ]; then
    local IFS=$'\\n'
    COMPREPLY=($(compgen -f -- "$word"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
}`;
}

/** What comes behind an option with a value. Nothing is offered where any text will do. */
function valueCases(name: string, command: Command): string[] {
  return optionsOf(command)
    .filter(([, { type }]) => type === 'string')
    .map(([option]) => `      '${name} --${option}') words=${quoted(command.offers?.[option] ?? [])} ;;`);
}

/** Options, or the first argument. */
function wordCase(name: string, command: Command): string {
  const options = quoted(optionsOf(command).map(([option]) => `--${option}`));
  const [first, ...others] = command.offers?.[''] ?? [];
  const completed = first === 'FILE' ? 'files=yes' : `words=${quoted(first === undefined ? [] : [first, ...others])}`;
  return `          ${name}) if [[ $word == -* ]]; then words=${options}; elif [ "$COMP_CWORD" -eq 2 ]; then ${completed}; fi ;;`;
}

function fishScript(commands: Commands): string {
  const lines = Object.entries(commands).flatMap(([name, command]) => {
    const there = `complete -c tidings -n '__fish_seen_subcommand_from ${name}'`;
    const offered = command.offers?.[''] ?? [];
    const listed = offered.length === 0 ? [] : [`${there} -a ${quoted(offered)}`];
    const argument = offered[0] === 'FILE' ? [`${there} -F`] : listed;
    const options = optionsOf(command).map(([option, { type }]) => {
      const values = command.offers?.[option];
      const value = type === 'string' ? ` -x${values === undefined ? '' : ` -a ${quoted(values)}`}` : '';
      return `${there} -l ${option}${value}`;
    });
    return [`complete -c tidings -n __fish_use_subcommand -a ${name} -d ${quoted([command.summary])}`, ...argument, ...options];
  });
  const options = alone.map((option) => `complete -c tidings -n __fish_use_subcommand -l ${option}`);
  return ['complete -c tidings -f', ...options, ...lines].join('\n');
}
