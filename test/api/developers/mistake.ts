/** Mistakes that newcomers make, and what each answer must say: what is wrong, where, and how to correct it. */
import type { Account, CallOptions } from '../start-app.js';

export interface Mistake {
  what: string;
  /** Method and path. */
  to: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Default: the API key. */
  as?: 'key' | 'jwt' | 'nobody';
  status: number;
  error: string | RegExp;
  /** The fields of the details, in their order; none where the request as a whole is at fault and no details are given. */
  where?: readonly string[];
  /** How to fix it: in the text of the error, a detail or a hint. */
  fix: string | RegExp;
}

export const good = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
export const phone = 'Phone number must be in E.164 format';
export const phoneExample = 'for example +15551234567';

/** The options of the request. A function of the account, since some mistakes are made with its credentials. */
export const optionsOf = ({ as = 'key', headers = {}, body }: Mistake, { key, jwt }: Account): CallOptions => ({
  ...(as === 'key' ? { key } : {}),
  ...(as === 'jwt' ? { jwt } : {}),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('<key>', key).replace('<jwt>', jwt)])),
  ...(body === undefined ? {} : { body }),
});
