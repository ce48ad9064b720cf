/** Errors of the functions that a program gives to the TypeScript client. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
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
  const rejecting = (error: Error) => async () => {
    await Promise.resolve();
    throw error;
  };

  it('an error of onResponse passes unchanged, and the request is sent once', async () => {
    for (const status of [201, 503]) {
      for (const thrown of [mistake, busy]) {
        server.answers = [{ status, body: { success: status === 201, data: { message: { id: 'one' } } }, headers: { 'Retry-After': '0' } }];
        const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } } as const;
        for (const onResponse of [throwing(thrown), rejecting(thrown)]) {
          server.requests = [];
          await assert.rejects(tidings.messages.send(message, { onResponse }), (error) => error === thrown);
          assert.equal(server.requests.length, 1, `${thrown.message} after ${status}`);
        }
      }
    }
  });

  it('an error of onOpen passes unchanged, and the stream is opened once', async () => {
    for (const thrown of [mistake, busy]) {
      for (const onOpen of [throwing(thrown), rejecting(thrown)]) {
        server.requests = [];
        server.answers = [{ status: 200, headers: { 'Content-Type': 'text/event-stream' } }];
        const stream = tidings.stream({ signal: AbortSignal.timeout(10_000), onOpen });
        await assert.rejects(stream.next(), (error) => error === thrown);
        assert.equal(server.requests.length, 1, thrown.message);
      }
    }
  });

  it('a call ends after the promise of its onResponse', async () => {
    const steps: string[] = [];
    const onResponse = async () => {
      await sleep(10);
      steps.push('called');
    };
    const here = async () => Response.json({ success: true, data: { message: { id: 'one' } } });
    await new Tidings({ apiKey: 'tidings_x', baseUrl: server.url, fetch: here }).messages.get('one', { onResponse });
    steps.push('answered');
    assert.deepEqual(steps, ['called', 'answered']);
  });

  it('a stream that cannot be opened is tried again as often as the client says, if the stream does not say it', async () => {
    server.answers = [{ status: 500, headers: { 'Retry-After': '0' } }];
    await assert.rejects(tidings.stream().next(), { status: 500 });
    assert.equal(server.requests.length, 2);
    await assert.rejects(tidings.stream({ retries: 0 }).next(), { status: 500 });
    assert.equal(server.requests.length, 3);
  });
});
