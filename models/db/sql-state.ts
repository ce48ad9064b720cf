import { BaseError } from 'sequelize';

/** The SQLSTATE of a failed statement, such as `23505`; undefined for every other error. */
export const sqlStateOf = (error: unknown): string | undefined => (error as { original?: { code?: string } } | null)?.original?.code;

/** The SQLSTATE of a statement that waited for a lock for too long, see `lock_timeout` in connection-options.ts. */
export const lockNotAvailable = '55P03';

/**
 * Whether the database refused a statement because of a value in it: SQLSTATE class 22 (data exception) or 23 (constraint violation). The same
 * statement without the row of the value may succeed.
 */
export const isDataError = (error: unknown): boolean => /^2[23]/.test(sqlStateOf(error) ?? '');

/**
 * Whether a statement may have failed because PostgreSQL is away or busy. It has not if PostgreSQL refused the statement itself: SQLSTATE class 42,
 * such as a missing right or table. Errors that are not of the database are no outage either.
 */
export const mayBeOutage = (error: unknown): boolean => error instanceof BaseError && sqlStateOf(error)?.startsWith('42') !== true;
