/** Prepared statements, named by the hash of their text. */
import { createHash } from 'node:crypto';
import type pg from 'pg';

/**
 * There are few statements with parameters, and they are repeated for every message. Each is parsed and planned once per connection, which
 * halves its cost on the server. A migration under a running process can make a prepared statement unusable, because its columns changed.
 * Then the statements of that connection are prepared again.
 */
export function prepareStatements(connection: pg.Client): void {
  let generation = 0;
  const query = connection.query.bind(connection) as (...args: unknown[]) => unknown;
  const prepared = (text: unknown, values: unknown, done: unknown) => {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || typeof done !== 'function')
      return query(text, values, done);
    const name = `${generation}-${digestOf(text)}`;
    return query({ name, text, values }, (error: (Error & { code?: string }) | null, result: unknown) => {
      if (error?.code === featureNotSupported) generation += 1;
      done(error, result);
    });
  };
  connection.query = prepared as typeof connection.query;
}

const digests = new Map<string, string>();

/** Statements are constants of the program, so each is hashed once. */
function digestOf(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const digest = createHash('sha1').update(text).digest('base64');
  if (digests.size < digestsMax) digests.set(text, digest);
  return digest;
}

/** Above the number of constant statements. Statements of models may contain values in their text, and must not fill the memory. */
const digestsMax = 1_000;

/** "cached plan must not change result type" has this code. */
const featureNotSupported = '0A000';
