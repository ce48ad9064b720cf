import type { Schema } from '../../api/call.js';

/** An API key as lists show it, without its value. */
export type Key = Schema<'ApiKey'>;

export const hasExpired = ({ expires_at }: Pick<Key, 'expires_at'>): boolean => expires_at !== null && Date.parse(expires_at) <= Date.now();
