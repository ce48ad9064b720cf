/** Finds an operator command, parses its arguments, and runs it. */
import { parseArgs } from 'node:util';
import { explainDatabaseError } from '../../models/db/explain-database-error.js';
import { ConfigError } from '../../models/settings/config.js';
import { type Command, type ParsedArguments, type CommandOutcome, type CommandContext, UsageError } from './command.js';
import { commandHelp, helpOf, usageOf } from './help.js';

export interface CommandResult {
  /** 0: success · 1: failure, with the reason in the output · 2: wrong arguments. */
  code: 0 | 1 | 2;
  out: string;
  err: string;
}

/** The settings that a command needs if it declares no others. */
const usualSettings = ['DATABASE_URL', 'SECRET_KEY'];

/** Reads these settings, and connects to the database. */
type Open = (settings: readonly string[]) => Promise<CommandContext & { close(): Promise<void> }>;

/** @param open called only if the arguments are valid */
export async function runCommand(commands: readonly Command[], args: readonly string[], open: Open): Promise<CommandResult> {
  const isJson = args.includes('--json');
  const isHelp = args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '') || args.includes('--help');
  try {
    if (isHelp) return { code: 0, out: helpFor(commands, args), err: '' };
    const [command, rest] = find(commands, args);
    return shown(await runWith(command, read(command, rest), open), isJson);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const why = isUsage || error instanceof ConfigError ? error.message : `Failed: ${explainDatabaseError(error as Error)}`;
    return { code: isUsage ? 2 : 1, out: isJson ? `${JSON.stringify({ error: why })}\n` : '', err: isJson ? '' : `${why}\n` };
  }
}

/** The command with the longest name with which the arguments begin, and the arguments after it. @throws UsageError */
function find(commands: readonly Command[], args: readonly string[]): [Command, string[]] {
  const candidates = commands.flatMap((command) => [command.name, ...(command.aliases ?? [])].map((name) => ({ command, name })));
  const [found] = candidates
    .filter(({ name }) => `${args.join(' ')} `.startsWith(`${name} `))
    .toSorted((one, other) => other.name.length - one.name.length);
  if (found !== undefined) return [found.command, args.slice(found.name.split(' ').length)];
  const like = candidates.filter(({ name }) => name.startsWith(`${args[0]} `)).map(({ name }) => name);
  if (like.length > 0) throw new UsageError(`Ambiguous command. Did you mean: ${like.join(', ')}?`);
  throw new UsageError(`Unknown command: ${args[0]}. "help" lists all commands.`);
}

/** The help of the named command; of all commands if none is named. @throws UsageError for a name that no command has */
function helpFor(commands: readonly Command[], args: readonly string[]): string {
  const named = args.filter((word) => !['help', '--help', '-h', '--json'].includes(word));
  return named.length === 0 ? helpOf(commands) : commandHelp(find(commands, named)[0]);
}

function shown({ ok, text, data, isReport = false }: CommandOutcome, isJson: boolean): CommandResult {
  const line = `${isJson ? JSON.stringify(data) : text}\n`;
  const toOut = ok || isJson || isReport;
  return { code: ok ? 0 : 1, out: toOut ? line : '', err: toOut ? '' : line };
}

async function runWith(command: Command, given: ParsedArguments, open: Open): Promise<CommandOutcome> {
  if (command.isLocal === true) return command.run(given);
  const { close, ...context } = await open(command.settings ?? usualSettings);
  try {
    return await command.run(given, context);
  } finally {
    await close();
  }
}

/** @throws UsageError */
function read(command: Command, args: string[]): ParsedArguments {
  const { takes, options = {} } = command;
  const usage = `Usage: ${usageOf(command)}`;
  const types = Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }] as const);
  let parsed: { positionals: string[]; values: Record<string, unknown> };
  try {
    parsed = parseArgs({ args, options: { ...Object.fromEntries(types), json: { type: 'boolean' } }, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`, { cause: error });
  }
  const { positionals, values } = parsed;
  // Often a shell variable that is not set. An empty --reference would be a reference that many credits share.
  const empty = Object.keys(values).find((name) => String(values[name]).trim() === '');
  if (empty !== undefined) throw new UsageError(`--${empty} is empty\n${usage}`);
  const lacking = Object.entries(options).filter(([name, { isRequired = false }]) => isRequired && values[name] === undefined);
  if (positionals.length !== takes.length || lacking.length > 0) throw new UsageError(usage);
  return { positionals, values: values as ParsedArguments['values'] };
}
