/** The help of the operator commands, from their declarations. */
import type { Command, Option } from './command.js';

const shown = ([name, { value, isRequired = false }]: [string, Option]) => {
  const text = value === undefined ? `--${name}` : `--${name} ${value}`;
  return isRequired ? text : `[${text}]`;
};

/** `name <argument> --option VALUE [--other]` */
export const usageOf = ({ name, takes, options = {} }: Command): string =>
  [name, ...takes.map((each) => `<${each}>`), ...Object.entries(options).map(shown)].join(' ');

/** The help of one command. */
export function commandHelp(command: Command): string {
  const options = Object.entries<Option>({ ...command.options, json: { about: 'Print one JSON object' } });
  const width = Math.max(...options.map(([name, { value = '' }]) => `${name} ${value}`.length));
  const lines = options.map(([name, { value = '', about }]) => `  --${`${name} ${value}`.padEnd(width)}  ${about}\n`);
  return `Usage: tidings-admin ${usageOf(command)} [--json]\n\n${command.summary}\n\n${lines.join('')}`;
}

/** The list of all commands. */
export function helpOf(commands: readonly Command[]): string {
  const lines = commands.map((command) => `  ${usageOf(command)}\n      ${command.summary}\n`);
  return [
    'Usage: tidings-admin <command> [--json]\n',
    'In the folder of the program: npm run -s admin -- <command>\n\n',
    ...lines,
    '\n<workspace> is the id or e-mail address of a workspace. "help <command>" explains its options.\n',
    'Exit codes: 0 success, 1 failure, 2 wrong arguments.\n',
  ].join('');
}
