/** The Python client against a running service, also through a network that loses answers, refuses connections and breaks streams. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { assertBooks } from '../../harness/checks/invariants.js';
import { deliveryHeaders, generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { generateSigningKey } from '../../models/rules/webhooks/signing-key.js';
import { blocksOf } from '../deploy/samples.js';
import { restClient, until } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { hasPython, pythonBin, runPython, startPython } from './python-tools.js';
import { assertSentOnce, sends, startThreeWays, type ThreeWays } from './three-ways.js';

/** Webhooks as the service signs them, for test_webhooks.py. */
function signedWebhooks(): string {
  const [secret, old, other] = [generateWebhookSecret(), generateWebhookSecret(), generateWebhookSecret()] as const;
  const [pair, another] = [generateSigningKey(), generateSigningKey()];
  const now = 1_795_000_000;
  const signed = (body: string) =>
    deliveryHeaders({
      id: 'event-1',
      type: 'message.sent',
      body,
      secrets: [secret, old],
      signingKeys: [pair.signingKey],
      timestampSeconds: now,
    });
  const body = JSON.stringify({ event: 'message.sent', timestamp: '2026-11-21T10:00:00.000Z', data: { note: 'žluťoučký 🐎' } });
  const noObjects = ['hello', '1', '[]'].map((text) => ({ body: text, headers: signed(text) }));
  return JSON.stringify({
    body,
    headers: signed(body),
    secret,
    old,
    other,
    public: pair.publicKey,
    otherPublic: another.publicKey,
    now,
    noObjects,
  });
}

describe('the Python client', function () {
  this.timeout(180_000);
  let service: Service;
  let ways: ThreeWays;
  before(async function () {
    if (!hasPython()) this.skip();
    pythonBin();
    service = await startService({ isHere: true, env: { SIGNUP_CREDITS: String(2 * sends), SANDBOX_DELAY_MS: '1' } });
    ways = await startThreeWays(service.url);
  });
  after(async () => {
    await ways?.close();
    await service?.stop();
  });

  it('the Python client does what the API can do, sync and async', async () => {
    const { apiKey: KEY } = await restClient(service.url).signUp();
    const LATER = new Date(Date.now() + 3_600_000).toISOString();
    await runPython(['-m', 'unittest', 'test_client', 'test_ignored_fields'], { BASE: service.url, KEY, LATER });
  });

  it('the Python client runs the sample of the guide', async () => {
    const { apiKey: KEY } = await restClient(service.url).signUp();
    const [sample] = blocksOf('docs/clients.md').filter(({ language }) => language === 'python');
    await runPython(['-c', sample?.code ?? assert.fail('there is no sample')], { BASE: `${service.url}/api/v1`, KEY });
  });

  it('the Python client repeats what is safe to repeat', () =>
    runPython(['-m', 'unittest', 'test_retries', 'test_retry_after', 'test_timeouts']));

  it('the Python client explains answers that are not from the service', () => runPython(['-m', 'unittest', 'test_foreign_answers']));

  it('the Python client sends each message once in several event loops', () => runPython(['-m', 'unittest', 'test_event_loops']));

  it('the Python client refuses options that cannot work', () => runPython(['-m', 'unittest', 'test_options']));

  it('the errors of the Python client have what a program needs, and no secrets', () => runPython(['-m', 'unittest', 'test_errors']));

  it('the Python client passes errors of the functions of a program unchanged', () => runPython(['-m', 'unittest', 'test_callbacks']));

  it('the Python client believes webhooks that the service signed, and no others', () =>
    runPython(['-m', 'unittest', 'test_webhooks'], { CASES: signedWebhooks() }));

  it('the Python client makes one message of each send, none twice, where answers are lost', async () => {
    const account = await restClient(service.url).signUp();
    const [PASS, LOSE, REFUSE] = [ways.pass.address, ways.loseAnswers.address, ways.refuse.address];
    const printed = await runPython(['lost_answers.py'], {
      BASE: service.url,
      KEY: account.apiKey,
      PASS,
      LOSE,
      REFUSE,
      SENDS: String(sends),
    });
    const { ids, lost, refused } = JSON.parse(printed) as { ids: string[]; lost: number; refused: number };
    assert.ok(lost > sends / 10 && refused > sends / 50, `${lost} answers were lost, ${refused} connections refused`);
    await assertSentOnce(service.db, account.workspaceId, ids);
    await assertBooks(service.db);
  });

  it('the Python client shows each event once on a stream that breaks again and again', async () => {
    const rest = restClient(service.url);
    const account = await rest.signUp();
    const proxy = ways.pass;
    const seen: { id: string; raw: string; event: { event: string; data: { message_id: string } } }[] = [];
    let opened = 0;
    const watching = startPython('watch.py', { BASE: `http://${proxy.address}`, KEY: account.apiKey }, (line) => {
      if (line === '"open"') opened += 1;
      else seen.push(JSON.parse(line));
    });
    try {
      await until(() => opened === 1, 'the stream opens');
      for (let round = 1; round <= 3; round += 1) {
        // U+2028 ends a line for Python, but not in a stream.
        for (let count = 0; count < 5; count += 1) await rest.send(account, { metadata: { note: 'a\u2028b\u0085c' } });
        proxy.reset();
        for (let count = 0; count < 5; count += 1) await rest.send(account);
        await until(() => opened === round + 1 && seen.length >= 30 * round, `round ${round}`);
      }
      const steps = seen.map(({ event: { event, data } }) => `${data.message_id} ${event}`);
      assert.deepEqual([steps.length, new Set(steps).size], [90, 90]);
      assert.ok(seen.every(({ raw, event }) => raw === JSON.stringify(event)));
    } finally {
      watching.kill('SIGKILL');
      if (watching.exitCode === null && watching.signalCode === null) await once(watching, 'exit');
    }
  });
});
