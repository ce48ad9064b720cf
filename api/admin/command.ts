/** The declaration of an operator command. Help and argument parsing are derived from it. */
import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';

export interface Reached {
  db: Database;
  config: Readonly<Config>;
}

/** The parsed arguments. */
export interface Given {
  positionals: readonly string[];
  values: Readonly<Record<string, string | boolean | undefined>>;
}

/** The result of a command: `text` for people, `data` for `--json`. The exit code is 1 unless it is `ok`. */
export interface Outcome {
  ok: boolean;
  text: string;
  data: object;
}

export interface Command {
  /** One or several words. */
  name: string;
  /** The names of the positional arguments in order. All are required. */
  takes: readonly string[];
  options?: NonNullable<ParseArgsConfig['options']>;
  /** Required options, with the placeholder of their value in the help. */
  needs?: Readonly<Record<string, string>>;
  /** Optional options that the help shows, with the same placeholders. */
  may?: Readonly<Record<string, string>>;
  /** One sentence. */
  summary: string;
  run(given: Given, reached: Reached): Promise<Outcome>;
}

/** Wrong arguments. The command exits with code 2 and prints the usage. */
export class UsageError extends Error {}

export const usageOf = ({ name, takes, needs = {}, may = {} }: Command): string =>
  [
    name,
    ...takes.map((each) => `<${each}>`),
    ...Object.entries(needs).map(([option, value]) => `--${option} ${value}`),
    ...Object.entries(may).map(([option, value]) => `[--${option} ${value}]`),
  ].join(' ');
