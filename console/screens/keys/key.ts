import type { Schema } from '../../api/call.js';

/** An API key as lists show it, without its value. */
export type Key = Schema<'ApiKey'>;

/**
 * A key that replaced another one, with its value, which the API displays once. The list has a new row for it, which may move the row of the
 * replaced key to the next page.
 */
export interface Rotated extends Pick<Key, 'name' | 'key_prefix'> {
  /** The value. */
  key: string;
  /** The prefix of the key that it replaces. */
  former: string;
}

export const hasExpired = ({ expires_at }: Pick<Key, 'expires_at'>): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();
