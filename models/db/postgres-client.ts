import pg from 'pg';

/**
 * The client of `pg` for a process that outlives its connections. A server that ends a connection at any moment, even while Sequelize
 * is still setting it up, costs the connection and never the process. A connection on which no answer comes within `query_timeout`,
 * because the network swallows it, is closed: the statement fails and the pool opens another connection.
 */
class ResilientClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super({ ...config, keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
    // Without a listener Node.js ends the process. Whoever uses the connection is told by its statement.
    this.on('error', () => undefined);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]) => {
      const done = args.at(-1);
      if (typeof done !== 'function') return query(...args);
      const told = (error: Error | null, ...rest: unknown[]) => {
        if (error?.message === readTimeout) this.#close();
        (done as (...answer: unknown[]) => void)(error, ...rest);
      };
      return query(...args.slice(0, -1), told);
    };
    this.query = watched as typeof this.query;
  }

  /** `end` would wait for the statement that is under way. */
  #close(): void {
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** The error of `pg` when `query_timeout` is over. */
const readTimeout = 'Query read timeout';

/** What Sequelize takes in the place of `pg`. */
export const resilientPg = { ...pg, Client: ResilientClient };
