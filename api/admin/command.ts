/** The declaration of an operator command. Help, parsing of arguments and completion are derived from it. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';

export interface CommandContext {
  db: Database;
  config: Readonly<Config>;
}

/** The parsed arguments. */
export interface ParsedArguments {
  positionals: readonly string[];
  values: Readonly<Record<string, string | boolean | undefined>>;
}

/** The result of a command: `text` for people, `data` for `--json`. The exit code is 1 unless it is `ok`. */
export interface CommandOutcome {
  ok: boolean;
  text: string;
  data: object;
  /** The text is what was asked for, also if it is not `ok`: it goes to standard output. */
  isReport?: boolean;
}

export interface Option {
  /** The placeholder of its value in the help. Without one it is a switch. */
  value?: string;
  isRequired?: boolean;
  /** One sentence without a full stop. */
  about: string;
}

interface Declaration {
  /** One or several words. */
  name: string;
  /** Further names that are kept. The help does not show them. */
  aliases?: readonly string[];
  /** The names of the positional arguments in order. All are required. */
  takes: readonly string[];
  options?: Readonly<Record<string, Option>>;
  /** One sentence. */
  summary: string;
}

export interface ServiceCommand extends Declaration {
  /** The settings that must be there; without it, those that most commands need. */
  settings?: readonly string[];
  /** Only so that TypeScript tells a command with `run(given)` from a local one. */
  isLocal?: false;
  run(given: ParsedArguments, context: CommandContext): Promise<CommandOutcome>;
}

/** A command that needs neither settings nor the database. */
export interface LocalCommand extends Declaration {
  isLocal: true;
  run(given: ParsedArguments): Promise<CommandOutcome>;
}

export type Command = ServiceCommand | LocalCommand;

/** Wrong arguments. The command exits with code 2 and prints the usage. */
export class UsageError extends Error {}

/** The value of an option as text; undefined if it was not given. */
export const textIn = ({ values }: ParsedArguments, option: string): string | undefined => {
  const value = values[option];
  return typeof value === 'string' ? value : undefined;
};
