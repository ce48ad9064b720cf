/** Finds the subcommand, reads its options, runs it, and turns what it throws into a text and an exit code. */
import { parseArgs } from 'node:util';
import { Tidings, TidingsError } from '../client/index.js';
import { warning } from '../client/ignored-fields.js';
import { OptionError } from '../client/options.js';
import { version } from '../client/version.js';
import { batches } from './batches.js';
import { bulk } from './bulk.js';
import { type Command, Failed, Interrupted, Undecided, UsageError } from './command.js';
import { completionOf } from './completion.js';
import { listen } from './listen.js';
import { login } from './login.js';
import { cancel, messages, timeline } from './messages.js';
import { send, trigger } from './send.js';
import { readSettings } from './settings.js';
import { isNoReader, plain, type Streams, Terminal } from './terminal.js';
import { balance, webhooks } from './webhooks.js';

const sending = { login, send, bulk, batches, messages, timeline, cancel };
const actions: Readonly<Record<string, Command>> = { ...sending, listen, trigger, webhooks, balance };
const commands: Readonly<Record<string, Command>> = { ...actions, completion: completionOf(actions) };

const overview = `tidings: messages from the command line

${Object.entries(commands)
  .map(([name, { summary }]) => `  tidings ${name.padEnd(10)} ${summary}`)
  .join('\n')}

  tidings COMMAND --help   its options
  tidings --version        its version
  --json                   one JSON text in each line, for programs

Exit codes: 0 success, 1 failure, 2 wrong command line,
3 service not reachable, 4 acceptance or result not known, 130 Ctrl-C.`;

/** @returns the exit code */
export async function run(args: readonly string[], streams: Streams, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<number> {
  const isJson = args.includes('--json');
  const terminal = new Terminal(streams, isJson, (env.NO_COLOR ?? '') !== '');
  const unread = whenUnread(streams);
  let endsUnread = true;
  const written = async (code: number) => {
    await untilWritten(streams);
    if (!(unread.reason instanceof Failed)) return code;
    throw endsUnread ? unread.reason : new Undecided(`${unread.reason.message}: the result is above, do not send again`);
  };
  try {
    const [name = '--help', ...rest] = args.filter((arg) => arg !== '--json');
    if (['--help', '-h', 'help'].includes(name)) {
      streams.stdout.write(`${overview}\n`);
      return await written(args.length === 0 ? 2 : 0);
    }
    if (['--version', '-v'].includes(name)) {
      streams.stdout.write(`${version}\n`);
      return await written(0);
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) throw new UsageError(`there is no command ${name}: see tidings --help`);
    if (rest.includes('--help') || rest.includes('-h')) {
      streams.stdout.write(`tidings ${name} ${command.usage}\n${command.summary}\n\n${command.help}\n`);
      return await written(0);
    }
    endsUnread = command.outlivesReader !== true;
    await runCommand(name, command, rest, { terminal, env, signal: endsUnread ? AbortSignal.any([signal, unread]) : signal });
    return await written(0);
  } catch (error) {
    if (signal.aborted || error instanceof Interrupted) {
      if (error instanceof Undecided) explain(terminal, error); // it names the accepted message, or the idempotency key
      return 130;
    }
    if (!endsUnread || !unread.aborted) return explain(terminal, error);
    return unread.reason instanceof Failed ? explain(terminal, unread.reason) : 0;
  }
}

/** Aborted when nobody reads the results any more, as after `tidings messages | head`, and with Failed when they cannot be written. */
function whenUnread({ stdout, stderr }: Streams): AbortSignal {
  const unread = new AbortController();
  stdout.on('error', (error) =>
    unread.abort(isNoReader(error) ? error : new Failed(`standard output cannot be written: ${error.message}`)),
  );
  stderr.on('error', () => undefined); // a remark that nobody sees must not end a send
  return unread.signal;
}

/** Resolves when the results are written, or the error of a write was reported. */
const untilWritten = ({ stdout }: Streams) => new Promise((resolve) => stdout.write('', () => setImmediate(resolve)));

interface Surroundings {
  terminal: Terminal;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

async function runCommand(name: string, command: Command, args: string[], { terminal, env, signal }: Surroundings): Promise<void> {
  const { values, positionals } = readArgs(name, command, args);
  const [min, max] = command.arguments;
  if (positionals.length < min || positionals.length > max) throw new UsageError(`usage: tidings ${name} ${command.usage}`);
  await command.run({ values, positionals, terminal, env, signal, tidings: () => clientOf(env, terminal) });
}

function clientOf(env: NodeJS.ProcessEnv, terminal: Terminal): Tidings {
  const settings = readSettings(env);
  try {
    const onIgnoredFields = warning((text) => terminal.note(plain(text)));
    return new Tidings({ ...settings, retries: 3, onIgnoredFields }); // few retries: somebody waits for the answer
  } catch (error) {
    throw new UsageError(`${(error as Error).message}: set TIDINGS_API_KEY and TIDINGS_URL, or run this command with login`, {
      cause: error,
    });
  }
}

function readArgs(name: string, { options = {} }: Command, args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [unknown] = /--?[^\s']+/.exec(message) ?? [];
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || unknown === undefined) throw new UsageError(message);
    const known = [...Object.keys(options), 'json', 'help'].map((option) => `--${option}`);
    throw new UsageError(`there is no option ${unknown}: tidings ${name} takes ${known.join(', ')}`);
  }
}

const unreachableHint = 'Does the service run there? TIDINGS_URL or tidings login --url URL sets its address';
const distrustHint = 'Is its certificate that of an authority of your own? NODE_EXTRA_CA_CERTS=FILE makes Node trust it';
/** Node's codes for a certificate of an unknown authority. */
const isDistrust = (text: string) => /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(text);

/** Says what went wrong. @returns the exit code */
function explain(terminal: Terminal, error: unknown): number {
  if (error instanceof TidingsError) {
    const { status, code, message, details, requestId } = error;
    const hints = status === 0 ? [isDistrust(message) ? distrustHint : unreachableHint] : error.hints;
    const faults = details.filter(({ field, message: text }) => text !== message && `${field}: ${text}` !== message);
    const lines = [
      message,
      ...faults.map(({ field, message: text }) => `  ${field === '' ? '' : `${field}: `}${text}`),
      ...hints.map((hint) => `  → ${hint}`),
    ];
    const facts = { status, code, message, details, hints, request_id: requestId };
    terminal.note(terminal.isJson ? JSON.stringify({ error: facts }) : lines.join('\n'));
    return status === 0 ? 3 : 1;
  }
  const { message } = error as Error;
  const facts = error instanceof Undecided ? error.facts : {};
  const lines = [`tidings: ${message}`, ...(facts.hints ?? []).map((hint) => `  → ${hint}`)];
  terminal.note(terminal.isJson ? JSON.stringify({ error: { message, ...facts } }) : lines.join('\n'));
  if (error instanceof Undecided) return 4;
  return error instanceof UsageError || error instanceof OptionError ? 2 : 1;
}
