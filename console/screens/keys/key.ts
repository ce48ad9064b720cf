import type { Schema } from '../../api/call.js';

/** An API key as lists show it, without its value. */
export type Key = Schema<'ApiKey'>;

/** The value of a new key, which the API displays once. Its row is another one, and may move the row of the former key to the next page. */
export interface Rotated extends Pick<Key, 'name' | 'key_prefix'> {
  key: string;
  /** The prefix of the key that it replaces. */
  former: string;
}

export const hasExpired = ({ expires_at }: Pick<Key, 'expires_at'>): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();
