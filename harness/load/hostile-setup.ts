/** What the hostile tenant has before it attacks: keys, webhooks and contacts. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { connect, onConnection, select } from '../../models/db/database.js';
import { eventTypes } from '../../models/rules/webhooks/events.js';
import type { Cleanup } from '../stage/cleanup.js';
import type { Account } from './account.js';

const keysWanted = 100;
const webhooksWanted = 25;

/** Posts as the hostile tenant. */
interface Poster {
  post(what: string, path: string, credential: string, body: Buffer): Promise<string>;
}

/** Creates as many keys as the quota permits. @returns all keys of the account */
export async function makeKeys(attack: Poster, { apiKey, token }: Account): Promise<string[]> {
  const made = Array.from({ length: keysWanted + 20 }, () => attack.post('keys', '/api-keys', token, Buffer.from('{"name":"k"}')));
  const keys = (await Promise.all(made)).flatMap((answer) => /"key":"(tidings_\w+)"/.exec(answer)?.[1] ?? []);
  return [apiKey, ...keys];
}

/**
 * Half of the webhooks use endpoints that accept connections and never respond, half use names that no DNS server answers.
 * @returns their ids
 */
export async function makeWebhooks(attack: Poster, { token }: Account, cleanup: Pick<Cleanup, 'add'>): Promise<string[]> {
  const port = await hangingEndpoint(cleanup);
  const webhook = (number: number) => {
    const url = number % 2 === 0 ? `https://127.0.0.1:${port}/${number}` : `https://slow${number}.tarpit.test:${port}/`;
    return attack.post('webhooks', '/webhooks', token, Buffer.from(JSON.stringify({ url, events: eventTypes })));
  };
  const made = await Promise.all(Array.from({ length: webhooksWanted + 10 }, (_, number) => webhook(number)));
  return made.flatMap((answer) => /"webhook":\{"id":"([0-9a-f-]{36})"/.exec(answer)?.[1] ?? []);
}

/** Stores contacts of this account, as an import over months would. Then it does what autovacuum would have done long ago. */
export async function storeContacts(databaseUrl: string, email: string, count: number): Promise<void> {
  const db = connect(databaseUrl, 1);
  try {
    await select(db, contacts, [email, count]);
    await onConnection(db, (run) => run('VACUUM ANALYZE contacts'));
  } finally {
    await db.close();
  }
}

const contacts = `
  INSERT INTO contacts (id, workspace_id, name, phone)
  SELECT uuidv7(), w.id, 'Contact ' || n, '+1555' || lpad(n::text, 7, '0') FROM workspaces w, generate_series(1, $2::integer) n
  WHERE w.email = $1`;

async function hangingEndpoint(cleanup: Pick<Cleanup, 'add'>): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
