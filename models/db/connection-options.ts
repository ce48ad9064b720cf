/** How each connection to PostgreSQL is opened: timeouts, and settings of the planner. */

/**
 * A prepared statement keeps its plan. That plan may date from a time when the tables were small, and a sequential scan or a hash join was
 * best. Every statement on the path of a message has few rows and an index. For some of them the server would make a new plan at every call,
 * because it overestimates arrays of unknown length. That costs more than running them.
 *
 * No statement uses parallel workers. One search of a large workspace would take every core, and the sends of others would wait for it.
 *
 * No statement is compiled. The server compiles plans that it considers expensive, again at each call: a second of CPU for a piece of the
 * audit that runs 20 ms. Before PostgreSQL 18, a plan with a step that is turned off here counts as expensive, too.
 *
 * A transaction that waited for a lock must see what the others committed. At a higher isolation level it would count with its older snapshot,
 * and exceed limits. Dates must have the one style that `pg` can read.
 */
const sessionSettings = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'plan_cache_mode=force_generic_plan',
  'max_parallel_workers_per_gather=0',
  'jit=off',
  'default_transaction_isolation=read\\ committed',
  'datestyle=ISO',
];

/**
 * The options of a connection, in the words of `pg`.
 * @param waits in milliseconds. answerMsMax: for an answer of the server. acquireMsMax: for a connection of the pool
 */
export const connectionOptions = ({ answerMsMax, acquireMsMax }: { answerMsMax: number; acquireMsMax: number }) => ({
  application_name: 'tidings',
  // Shorter than the wait for the pool, so that a server that cannot be reached is not taken for a pool that is full.
  connectionTimeoutMillis: Math.round(0.8 * acquireMsMax),
  query_timeout: answerMsMax,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 15_000,
  lock_timeout: 5_000,
});

/** The names of all settings that each session gets, in lower case. */
export const settingNames: readonly string[] = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  ...sessionSettings.map((setting) => setting.split('=')[0] ?? ''),
];

/**
 * The URL with the settings of a session, after the options that it has. Sequelize would take the options of a URL instead of others.
 * @param url postgres://user:password@host:port/database
 */
export function withSessionSettings(url: string): string {
  const changed = new URL(url);
  const own = changed.searchParams.get('options');
  const options = [...(own === null ? [] : [own]), ...sessionSettings.map((setting) => `-c ${setting}`)];
  changed.searchParams.set('options', options.join(' '));
  return changed.href;
}
