/** What an operator's command is: one declaration, from which help and the reading of arguments follow. */
import type { ParseArgsConfig } from 'node:util';
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';

export interface Reached {
  db: Database;
  config: Readonly<Config>;
}

/** Arguments as they were given: those without a name in their order, options by name. */
export interface Given {
  positionals: readonly string[];
  values: Readonly<Record<string, string | boolean | undefined>>;
}

/** What came of a command: `text` for people, `data` for `--json`. Exit code 1 unless it is `ok`. */
export interface Outcome {
  ok: boolean;
  text: string;
  data: object;
}

export interface Command {
  name: string;
  /** Names of the arguments in their order; all of them are needed. */
  takes: readonly string[];
  options?: NonNullable<ParseArgsConfig['options']>;
  /** Options that must be given, with what stands for their value in the help. */
  needs?: Readonly<Record<string, string>>;
  /** One sentence. */
  summary: string;
  run(given: Given, reached: Reached): Promise<Outcome>;
}

/** The arguments are wrong: exit code 2, with the usage. */
export class UsageError extends Error {}

export const usageOf = ({ name, takes, needs = {} }: Command): string =>
  [name, ...takes.map((each) => `<${each}>`), ...Object.entries(needs).map(([option, value]) => `--${option} ${value}`)].join(' ');
