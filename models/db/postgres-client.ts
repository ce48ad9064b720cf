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
      const last = args.findLastIndex((arg) => typeof arg === 'function');
      if (last === -1) return this.#closeIfFails(query(...args));
      const done = args[last] as (...answer: unknown[]) => void;
      const callback = (error: Error | null, ...rest: unknown[]) => {
        if (error?.message === readTimeout) this.#close();
        if (error !== null && isOfBrokenConnection(error)) Object.assign(this, { _invalid: true }); // the pool gives it to nobody
        done(error, ...rest);
      };
      return query(...args.with(last, callback));
    };
    this.query = watched as typeof this.query;
  }

  /** Only the set-up of a connection has no callback. If it fails, Sequelize forgets the connection without closing it. */
  #closeIfFails(answer: unknown): unknown {
    if (answer instanceof Promise) answer.catch(() => this.#close());
    return answer;
  }

  /** `end` would wait for the statement in progress. */
  #close(): void {
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}

/** After these errors the server closes the connection: shutdown, crash, and the two limits of idle time. (Severities are translated.) */
const ending = new Set(['57P01', '57P02', '57P05', '25P03']);
/** Any error that is not from the server means a broken connection. */
const isOfBrokenConnection = (error: Error) => !(error instanceof pg.DatabaseError) || ending.has(error.code ?? '');

/** The error message of `pg` after `query_timeout`. */
const readTimeout = 'Query read timeout';

/** The replacement for `pg` that Sequelize uses. */
export const resilientPg = { ...pg, Client: ResilientClient };
