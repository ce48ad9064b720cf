import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { startTwilio, twilioEnv, type TwilioCounterpart } from '../../support/carriers/twilio.js';
import { type Account, type RestClient, restClient, until } from '../../support/client.js';
import { type FaultMode, type FaultProxy, startFaultProxy } from '../../support/network/fault-proxy.js';
import type { Child } from '../../support/parts/child.js';
import { type Service, startService } from '../../support/service.js';

/** SMS go to a carrier that takes no idempotency key, WhatsApp messages to the sandbox, which reports them. */
describe('a worker that loses PostgreSQL', () => {
  let counterpart: TwilioCounterpart;
  let proxy: FaultProxy;
  let service: Service;
  let client: RestClient;
  let account: Account;
  let worker: Child;
  const folder = mkdtempSync(join(tmpdir(), 'lost-database-'));
  const logFile = join(folder, 'worker.log');
  before(async () => {
    const { host } = new URL(process.env.TEST_DATABASE_SERVER as string);
    [counterpart, proxy] = await Promise.all([startTwilio(), startFaultProxy(host)]);
    const env = { ...twilioEnv(counterpart), PROVIDER_WHATSAPP: 'sandbox' };
    service = await startService({ isHere: true, withoutWorker: true, env, logFile });
    worker = service.anotherWorker({ DATABASE_URL: service.config.databaseUrl.replace(host, proxy.address), LOG_LEVEL: 'info' });
    await worker.start();
    client = restClient(service.url, service.db);
    account = await client.signUp();
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    await Promise.all([counterpart?.close(), proxy?.close()]);
    rmSync(folder, { recursive: true });
  });

  /** How often this line was logged. Each of the two threads of the worker logs it. */
  const logged = (text: string) => readFileSync(logFile, 'utf8').split(text).length - 1;
  const cut = (mode: FaultMode) => {
    proxy.mode = mode;
    proxy.reset();
  };

  it('the only worker records the answer in hand, and goes on when PostgreSQL is back', async () => {
    counterpart.answerAfterMs = 2_000;
    const inHand = await client.send(account);
    await until(() => counterpart.taken.length === 1, 'the carrier has taken the message');
    cut('refuse');
    await until(() => logged('lost PostgreSQL') === 2, 'the worker takes no more work');
    counterpart.answerAfterMs = 0;
    cut('pass');
    await client.messageUntil(account, inHand.id, ({ status }) => status === 'sent');
    await client.send(account);
    assert.equal(logged('"ready"'), 1, 'the process was not started again');
    await until(() => counterpart.taken.length === 2, 'the carrier has the second message');
    assert.equal(counterpart.calls, 2, 'each was called for once');
  });

  it('the messages of a worker without PostgreSQL are finished by another one, and every send succeeds', async () => {
    // Due when the worker has left: an activity that it began before would first end there, after two minutes at most.
    const scheduled_at = new Date(Date.now() + 40_000).toISOString();
    const message = { channel: 'whatsapp', scheduled_at };
    const accepted = await Promise.all(Array.from({ length: 6 }, () => client.send(account, message)));
    await service.worker.start();
    const before = logged('lost PostgreSQL');
    cut('blackhole');
    await until(() => logged('lost PostgreSQL') === before + 2, 'the worker takes no more work');
    for (let count = 0; count < 10; count += 1) await client.send(account, { channel: 'whatsapp' });
    for (const { id } of accepted) await client.messageUntil(account, id, ({ status }) => status === 'delivered' || status === 'read');
    cut('pass');
  });
});
