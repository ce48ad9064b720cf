/** What a subcommand is. */
import type { ParseArgsConfig } from 'node:util';
import type { Delivery, Message, Tidings, Webhook } from '../client/index.js';
import type { Terminal } from './terminal.js';

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What was asked for did not happen: exit code 1. */
export class Failed extends Error {
  override readonly name = 'Failed';
}

/** It is unknown whether the request has an effect: exit code 4. */
export class Undecided extends Error {
  override readonly name = 'Undecided';

  /** @param facts what the service has answered, and what the user can do about it */
  constructor(
    message: string,
    options?: ErrorOptions,
    readonly facts: {
      status?: number;
      code?: string;
      request_id?: string | null;
      hints?: readonly string[];
      idempotency_key?: string;
    } = {},
  ) {
    super(message, options);
  }
}

/** The user pressed Ctrl-C at a question: exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

export interface Context {
  /** Options and arguments, as `parseArgs` gives them. */
  values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  positionals: readonly string[];
  env: NodeJS.ProcessEnv;
  terminal: Terminal;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** A client with the key of the user. @throws UsageError if there is none */
  tidings(): Tidings;
}

export interface Command {
  /** Behind the name of the command. */
  usage: string;
  summary: string;
  /** A line for each option, and what else is to be known. */
  help: string;
  options?: NonNullable<ParseArgsConfig['options']>;
  /** What shells offer: values by option, and under the empty name those of the first argument; `FILE` means any file. */
  offers?: Readonly<Record<string, readonly string[]>>;
  /** How many arguments it takes. */
  arguments: readonly [min: number, max: number];
  /** It sends: it goes on to its end when nobody reads its results any more, as after `| head`. Other commands end then. */
  outlivesReader?: true;
  /** @throws UsageError, Failed, Undecided, Interrupted, TidingsError */
  run(context: Context): Promise<void>;
}

/** The value of an option with a text; undefined if it is not given. */
export function textOption({ values }: Pick<Context, 'values'>, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws UsageError for an option that this use of the command would ignore */
export function takeOnly({ values }: Pick<Context, 'values'>, options: readonly string[], use: string): void {
  const other = Object.keys(values).find((name) => !options.includes(name));
  if (other !== undefined) throw new UsageError(`--${other} is not for ${use}`);
}

/** The value of an option that must be one of a few. */
export function choice<T extends string>(context: Pick<Context, 'values'>, name: string, allowed: readonly T[]): T | undefined {
  const value = textOption(context, name);
  if (value === undefined) return undefined;
  if ((allowed as readonly string[]).includes(value)) return value as T;
  throw new UsageError(`--${name} must be one of: ${allowed.join(', ')}`);
}

/** The value of an option that must be a whole number from 1 to a maximum. */
export function wholeNumber(context: Pick<Context, 'values'>, name: string, max: number): number | undefined {
  const value = textOption(context, name);
  if (value === undefined) return undefined;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= 1 && number <= max) return number;
  throw new UsageError(`--${name} must be a whole number from 1 to ${max}`);
}

/** All values of a type of the API. The compiler names one that is missing. */
const all = <Value extends string>(values: Record<Value, true>) => Object.keys(values) as Value[];

/** Each channel with the kind of address of its recipients. */
const addressOf: Readonly<Record<Message['channel'], 'phone' | 'email'>> = { sms: 'phone', whatsapp: 'phone', email: 'email' };
export const channels = Object.keys(addressOf) as Message['channel'][];
/** For texts of help: "sms, whatsapp or email". */
export const inWords = (values: readonly string[]) => new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values);
/** The first channel that reaches a recipient with this address. */
export const channelTo = (to: string) => channels.find((channel) => addressOf[channel] === (to.includes('@') ? 'email' : 'phone'));
export const statuses = all<Message['status']>({ queued: true, sent: true, delivered: true, failed: true, read: true });
export const deliveryStatuses = all<Delivery['status']>({ pending: true, succeeded: true, failed: true, held: true });
export const eventTypes = all<Webhook['events'][number]>({
  'message.queued': true,
  'message.sent': true,
  'message.delivered': true,
  'message.failed': true,
});
