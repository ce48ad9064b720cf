/** Completion of the operator commands in shells, from their declarations. */
import type { Command } from './command.js';

export const shells = ['bash', 'zsh'] as const;
export type Shell = (typeof shells)[number];

/** What may follow the words that were typed, as the branches of a `case`. The first that fits counts. */
function branches(commands: readonly Command[]): string {
  const words = commands.map(({ name }) => name.split(' '));
  const options = commands.map(({ name, options: own = {} }) => {
    const flags = [...Object.keys(own), 'json'].map((option) => `--${option}`).join(' ');
    return `    '${name}'|'${name} '*) reply='${flags}' ;;`;
  });
  const families = [...new Set(words.filter(({ length }) => length > 1).map(([first = '']) => first))];
  const second = families.map((family) => {
    const names = words.flatMap(([first, next]) => (first === family && next !== undefined ? [next] : [])).join(' ');
    return `    '${family}') reply='${names}' ;;`;
  });
  const first = [...new Set(words.map(([word]) => word)), 'help'].join(' ');
  return [...options, ...second, `    'help'|'') reply='${first}' ;;`].join('\n');
}

/** A script for the shell to read: `source <(tidings-admin completion bash)`. */
export function completionOf(shell: Shell, commands: readonly Command[]): string {
  const [typed, offer, register] =
    shell === 'bash'
      ? [
          '"${COMP_WORDS[*]:1:COMP_CWORD-1}"',
          'COMPREPLY=($(compgen -W "$reply" -- "${COMP_WORDS[COMP_CWORD]}"))',
          'complete -F _tidings_admin tidings-admin',
        ]
      : ['"${(j: :)words[2,CURRENT-1]}"', 'compadd -- ${=reply}', 'compdef _tidings_admin tidings-admin'];
  return ['_tidings_admin() {', '  local reply=', `  case ${typed} in`, branches(commands), '  esac', `  ${offer}`, '}', register].join(
    '\n',
  );
}
