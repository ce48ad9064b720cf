/** Reads .env.example: what is set, what is only shown, and the comment above each. */
import { textOf } from './project.js';

export interface Entry {
  name: string;
  value: string;
  comment: string;
  /** false for `#NAME=value` */
  active: boolean;
}

/** The entries in their order. */
export function readEnvExample(): Entry[] {
  const lines = textOf('.env.example').split('\n');
  return lines.flatMap((line, index) => {
    const [, mark, name = '', value = ''] = /^(#?)([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
    if (mark === undefined) return [];
    const comment = /^# (.*)$/.exec(lines[index - 1] ?? '')?.[1] ?? '';
    return [{ name, value: value.replace(/^"(.*)"$/, '$1'), comment, active: mark === '' }];
  });
}

/** A filled-in `.env`: the required ones have some value, the rest is as the example shows it. */
export const filledIn = (secret = 'a1b2c3d4'.repeat(8)): Record<string, string> =>
  Object.fromEntries(readEnvExample().flatMap(({ name, value, active }) => (active ? [[name, value === '' ? secret : value]] : [])));
