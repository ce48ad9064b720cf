/** The texts about wrong settings, and about required ones that are absent: why they are needed, and how to get them. */
import type { ValidationError } from 'joi';

const secret =
  'It is created automatically only if everything is embedded, without DATABASE_URL and TEMPORAL_ADDRESS. Create one with: openssl rand -hex 32';

const reasons: Readonly<Record<string, string>> = {
  JWT_SECRET: secret,
  SECRET_KEY: secret,
  DATABASE_URL: 'Set it in the environment. The commands of operators also read it from .env, and beside a running npm start from DATA_DIR',
};

/** One or more sentences for the list of faults. */
export const missingText = (name: string): string =>
  reasons[name] === undefined ? `${name} is not set` : `${name} is not set. ${reasons[name]}`;

/** The text about the first fault of each setting. Further faults of the same value only repeat that it is wrong. */
export function faultsIn(error: ValidationError | undefined): string[] {
  const details = error?.details ?? [];
  const places = details.map(({ path }) => path.join('.'));
  const first = details.filter((_detail, at) => places.indexOf(places[at] ?? '') === at);
  return first.map(({ type, path, message }) => (type === 'any.required' ? missingText(String(path[0])) : message));
}
