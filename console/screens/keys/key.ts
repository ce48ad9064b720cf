import type { Schema } from '../../api/call.js';

/** An API key as lists show it, without its value. */
export type Key = Schema<'ApiKey'>;
