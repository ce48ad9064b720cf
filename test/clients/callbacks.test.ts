/** Errors of the functions that a program gives to the TypeScript client. */
import assert from 'node:assert/strict';
import { Tidings } from '../../clients/typescript/client/index.js';
import { type ScriptedServer, startScriptedServer } from './scripted-server.js';

describe('callbacks of the TypeScript client', () => {
  let server: ScriptedServer;
  let tidings: Tidings;
  beforeEach(async () => {
    server = await startScriptedServer();
    tidings = new Tidings({ apiKey: 'tidings_x', baseUrl: server.url, retries: 1 });
  });
  afterEach(() => server.close());

  const mistake = new Error('a mistake in the program');
  const fail = () => {
    throw mistake;
  };

  it('an error of onResponse passes unchanged, and the request is sent once', async () => {
    const send = () => tidings.messages.send({ to: '+15551234567', channel: 'sms', content: { text: 'Hello' } }, { onResponse: fail });
    for (const status of [201, 503]) {
      server.requests = [];
      server.answers = [{ status, body: { success: status === 201, data: { message: { id: 'one' } } }, headers: { 'Retry-After': '0' } }];
      await assert.rejects(send(), (error) => error === mistake);
      assert.equal(server.requests.length, 1, `after ${status}`);
    }
  });

  it('an error of onOpen passes unchanged, and the stream is opened once', async () => {
    server.answers = [{ status: 200, headers: { 'Content-Type': 'text/event-stream' } }];
    const stream = tidings.stream({ signal: AbortSignal.timeout(10_000), onOpen: fail });
    await assert.rejects(stream.next(), (error) => error === mistake);
    assert.equal(server.requests.length, 1);
  });
});
