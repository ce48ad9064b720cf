/** Sends of which nobody knows whether the service has accepted them. */
import assert from 'node:assert/strict';
import { Tidings, TidingsError } from '../../../clients/typescript/client/index.js';
import { mayHaveEffect } from '../../../clients/typescript/client/retry.js';
import { until } from '../../support/client.js';
import { freePort } from '../../support/network/free-port.js';
import { runHere, startHere } from '../run-here.js';
import { refused, type Scripted, type ScriptedServer, startScriptedServer } from '../scripted-server.js';

describe('sends without a result', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.close());
  const env = (url = server.url) => ({ TIDINGS_API_KEY: 'tidings_x', TIDINGS_URL: url });
  const send = (...args: string[]) => runHere(['send', '+15551234567', 'Hello', ...args], env());
  const keys = () => [...new Set(server.requests.map(({ headers }) => String(headers['idempotency-key'])))];

  it('the error of a send has its idempotency key, and says whether the service may have accepted it', async () => {
    for (const [answers, isUndecided] of [
      [['cut'], true],
      [[refused(500, 'internal_error')], true],
      [[{ status: 503, body: '<html>upstream reset</html>' }], true],
      [[{ status: 200, body: '<html>cached</html>' }], true],
      [['cut', refused(401, 'unauthorized')], true],
      [[refused(503, 'unavailable')], false],
      [[refused(429, 'rate_limited')], false],
      [[refused(400, 'validation_failed')], false],
    ] as [Scripted[], boolean][]) {
      server.requests = [];
      server.answers = answers;
      const tidings = new Tidings({ apiKey: 'tidings_x', baseUrl: server.url, retries: answers.length - 1 });
      const error: unknown = await tidings.messages.send({ to: '+15551234567', channel: 'sms', content: { text: 'Hi' } }).catch((it) => it);
      assert.ok(error instanceof TidingsError, String(error));
      assert.deepEqual([[error.idempotencyKey], error.isUndecided], [keys(), isUndecided], JSON.stringify(answers));
    }
    server.answers = [refused(404, 'not_found')];
    const tidings = new Tidings({ apiKey: 'tidings_x', baseUrl: server.url });
    await assert.rejects(tidings.messages.get('one'), { idempotencyKey: null, isUndecided: false });
  });

  it('tidings send exits with 4 and its key if the answer was lost, also when the last attempt is refused', async () => {
    for (const last of [['cut'], [refused(401, 'unauthorized')]] as Scripted[][]) {
      server.requests = [];
      server.answers = ['cut', ...last];
      const { code, stdout, stderr } = await send();
      const [key, ...others] = keys();
      assert.deepEqual([code, stdout, others], [4, '', []], stderr);
      assert.match(stderr, new RegExp(`^tidings: it is not known whether the message was accepted: .*\n.*run again with --key ${key}\n$`));
    }
  });

  it('tidings send --json exits with 4 and its key as a field', async () => {
    server.answers = ['cut', refused(401, 'unauthorized')];
    const { code, stderr } = await send('--json', '--key', 'order-1');
    const { error } = JSON.parse(stderr) as { error: Record<string, unknown> };
    assert.deepEqual([code, error.idempotency_key, error.status, error.code], [4, 'order-1', 401, 'unauthorized']);
    assert.equal(error.request_id, 'req-1');
  });

  it('tidings trigger exits with 4 if its answer was lost', async () => {
    server.answers = ['cut', refused(401, 'unauthorized')];
    assert.equal((await runHere(['trigger', 'message.sent'], env())).code, 4);
  });

  it('tidings send exits with 130 and its key after Ctrl-C while the answer is open', async () => {
    server.answers = ['hang'];
    const running = startHere(['send', '+15551234567', 'Hello'], env());
    await until(() => server.requests.length === 1, 'the request is there');
    running.interrupt();
    const { code, stderr } = await running.ended;
    assert.equal(code, 130);
    assert.match(stderr, new RegExp(`run again with --key ${keys()[0]}\n$`));
  });

  it('a failure before anything was sent has no effect', () => {
    const codes = ['EAI_FAIL', 'EAI_NODATA', 'ENETDOWN', 'EHOSTDOWN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_SSL_WRONG_VERSION_NUMBER'];
    for (const code of codes) {
      const cause = Object.assign(new TypeError('fetch failed'), { cause: { code } });
      assert.equal(mayHaveEffect(new TidingsError({ status: 0, code: 'network_error', message: 'No' }, { cause })), false, code);
    }
  });

  it('tidings send exits with 3 if no connection was made, and with 1 if the service refused', async () => {
    const { code, stderr } = await runHere(['send', '+15551234567', 'Hello'], env(`http://127.0.0.1:${await freePort()}`));
    assert.deepEqual([code, stderr.includes('--key')], [3, false], stderr);
    const plain = server.url.replace('http:', 'https:'); // the TLS handshake fails
    assert.equal((await runHere(['send', '+15551234567', 'Hello'], env(plain))).code, 3);
    server.answers = [refused(400, 'validation_failed')];
    assert.equal((await send()).code, 1);
  });
});
