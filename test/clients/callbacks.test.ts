/** Errors of the functions that a program gives to the TypeScript client. */
import assert from 'node:assert/strict';
import { Tidings, TidingsError } from '../../clients/typescript/client/index.js';
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
  /** As of another call that the function makes. The client would repeat a call that fails so. */
  const busy = new TidingsError({ status: 503, code: 'unavailable', message: 'The service is busy' });
  const throwing = (error: Error) => () => {
    throw error;
  };

  it('an error of onResponse passes unchanged, and the request is sent once', async () => {
    for (const status of [201, 503]) {
      for (const thrown of [mistake, busy]) {
        server.requests = [];
        server.answers = [{ status, body: { success: status === 201, data: { message: { id: 'one' } } }, headers: { 'Retry-After': '0' } }];
        const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } } as const;
        await assert.rejects(tidings.messages.send(message, { onResponse: throwing(thrown) }), (error) => error === thrown);
        assert.equal(server.requests.length, 1, `${thrown.message} after ${status}`);
      }
    }
  });

  it('an error of onOpen passes unchanged, and the stream is opened once', async () => {
    for (const thrown of [mistake, busy]) {
      server.requests = [];
      server.answers = [{ status: 200, headers: { 'Content-Type': 'text/event-stream' } }];
      const stream = tidings.stream({ signal: AbortSignal.timeout(10_000), onOpen: throwing(thrown) });
      await assert.rejects(stream.next(), (error) => error === thrown);
      assert.equal(server.requests.length, 1, thrown.message);
    }
  });
});
