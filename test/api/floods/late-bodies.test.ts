import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { rows } from '../../support/database.js';
import { type Account, startApp, type TestApp } from '../start-app.js';

const timeouts = { headersMs: 1_500, bodyMs: 1_500, checkIntervalMs: 20, keepAliveMs: 10_000, idleMs: 10_000, lingerMs: 2_000 };
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('bodies that arrive late', () => {
  let app: TestApp;
  let account: Account;
  const sockets: Socket[] = [];
  before(async () => {
    app = await startApp({}, { timeouts });
  });
  beforeEach(async () => {
    account = await app.account();
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  /** Sends the head of a request and the first bytes of its body. @returns what sends the rest */
  const begin = async (path: string, body: object) => {
    const firstBytes = 20;
    const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket.on('error', () => undefined));
    await once(socket, 'connect');
    const text = JSON.stringify(body);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${account.key}\r\nContent-Length: ${text.length}\r\n\r\n`);
    socket.write(text.slice(0, firstBytes));
    return { socket, finish: () => socket.write(text.slice(firstBytes)) };
  };
  /** Finishes the body after the 408, and waits until the service has closed the connection: then it resets what is still sent. */
  const finishTooLate = async (path: string, body: object) => {
    const { socket, finish } = await begin(path, body);
    assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 408 /);
    finish();
    const more = setInterval(() => socket.write('\r\n'), 100);
    await new Promise((resolve) => socket.resume().once('close', resolve));
    clearInterval(more);
  };
  const count = async (table: string) =>
    (await rows<{ id: string }>(app.deps.db, `SELECT id FROM ${table} WHERE workspace_id = $1`, [account.workspaceId])).length;

  it('a send whose body is finished after the 408 leaves no row', async () => {
    await finishTooLate('/api/v1/messages/send', sms);
    assert.deepEqual([await count('messages'), await count('credit_entries')], [0, 1]); // the entry of the signup
  });

  it('a cancel with an unused body that is finished after the 408 cancels nothing', async () => {
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await app.call('POST', '/api/v1/messages/send', { key: account.key, body: { ...sms, scheduled_at } });
    const { id } = body.data.message;
    await finishTooLate(`/api/v1/messages/${id}/cancel`, { reason: 'I changed my mind' });
    assert.equal((await app.call('GET', `/api/v1/messages/${id}`, { key: account.key })).body.data.message.status, 'queued');
  });
});
