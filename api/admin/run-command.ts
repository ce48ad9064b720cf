/** Finds an operator command, parses its arguments, and runs it. */
import { parseArgs } from 'node:util';
import { ConfigError } from '../../models/settings/config.js';
import { type Command, type Given, type Outcome, type Reached, UsageError, usageOf } from './command.js';

export interface Ended {
  /** 0: success · 1: failure, with the reason in the output · 2: wrong arguments. */
  code: 0 | 1 | 2;
  out: string;
  err: string;
}

/** @param open connects to the database; called only if the arguments are valid */
export async function runCommand(
  commands: readonly Command[],
  args: readonly string[],
  open: () => Promise<Reached & { close(): Promise<void> }>,
): Promise<Ended> {
  const [first = 'help'] = args;
  if (['help', '--help', '-h'].includes(first) || args.includes('--help')) return { code: 0, out: helpOf(commands), err: '' };
  const isJson = args.includes('--json');
  try {
    const command = commands.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `));
    if (command === undefined) throw new UsageError(`Unknown command: ${first}`);
    const given = read(command, args.slice(command.name.split(' ').length));
    const { ok, text, data } = await runWith(command, given, open);
    const told = isJson ? JSON.stringify(data) : text;
    return ok ? { code: 0, out: `${told}\n`, err: '' } : { code: 1, out: isJson ? `${told}\n` : '', err: isJson ? '' : `${told}\n` };
  } catch (error) {
    if (error instanceof UsageError) return { code: 2, out: '', err: `${error.message}\n\n${helpOf(commands)}` };
    const why = error instanceof ConfigError ? error.message : `Failed: ${(error as Error).message}`;
    return { code: 1, out: isJson ? `${JSON.stringify({ error: why })}\n` : '', err: isJson ? '' : `${why}\n` };
  }
}

async function runWith(command: Command, given: Given, open: () => Promise<Reached & { close(): Promise<void> }>): Promise<Outcome> {
  const { close, ...reached } = await open();
  try {
    return await command.run(given, reached);
  } finally {
    await close();
  }
}

/** @throws UsageError */
function read(command: Command, args: string[]): Given {
  const { takes, options = {}, needs = {} } = command;
  let parsed: { positionals: string[]; values: Record<string, unknown> };
  try {
    parsed = parseArgs({ args, options: { ...options, json: { type: 'boolean' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { positionals, values } = parsed;
  const lacking = Object.keys(needs).filter((option) => (values[option] ?? '') === '');
  if (positionals.length !== takes.length || lacking.length > 0) throw new UsageError(`Usage: ${usageOf(command)}`);
  return { positionals, values: values as Given['values'] };
}

function helpOf(commands: readonly Command[]): string {
  const lines = commands.map((command) => `  ${usageOf(command)}\n      ${command.summary}\n`);
  return [
    'npm run -s admin -- <command> [--json]\n\n',
    ...lines,
    '\n<workspace> is the id or e-mail address of a workspace. Exit codes: 0 success, 1 failure, 2 wrong arguments.\n',
  ].join('');
}
