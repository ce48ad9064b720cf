import { format } from 'node:util';
import type { Logger } from './logger.js';

/**
 * Puts what libraries write with `console.warn` into the log. Sequelize writes there that a commit or a rollback failed. Every thread calls
 * this once, because each has a console of its own.
 */
export function logLibraryWarnings(logger: Pick<Logger, 'warn'>): void {
  Object.assign(console, { warn: (...texts: unknown[]) => logger.warn({ warning: format(...texts) }, 'a library warned') });
}
