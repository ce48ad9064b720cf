import pg from 'pg';

/**
 * The client of `pg` for a process that outlives its connections. If a server ends a connection, even while Sequelize sets it up, the
 * connection is lost and the process survives. A connection without an answer within `query_timeout`, for example because the network drops
 * packets, is closed: the statement fails and the pool opens another connection.
 */
class ResilientClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super({ ...config, keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
    // Without a listener, Node.js ends the process. The statement that uses the connection gets the error.
    this.on('error', () => undefined);
    const query = this.query.bind(this) as (...args: unknown[]) => unknown;
    const watched = (...args: unknown[]) => {
      const done = args.at(-1);
      if (typeof done !== 'function') return query(...args);
      const callback = (error: Error | null, ...rest: unknown[]) => {
        if (error?.message === readTimeout) this.#close();
        (done as (...answer: unknown[]) => void)(error, ...rest);
      };
      return query(...args.slice(0, -1), callback);
    };
    this.query = watched as typeof this.query;
  }

  /** `end` would wait for the statement in progress. */
  #close(): void {
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** The error message of `pg` after `query_timeout`. */
const readTimeout = 'Query read timeout';

/** The replacement for `pg` that Sequelize uses. */
export const resilientPg = { ...pg, Client: ResilientClient };
