import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { seenWorkers } from '../../../models/operations/watch/worker-heartbeats.js';
import { type Account, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { answerWith, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { startTemporalFront, type TemporalFront } from '../../support/network/temporal-front.js';
import type { Child } from '../../support/parts/child.js';
import { type Service, startService } from '../../support/service.js';

describe('a worker whose polls Temporal refuses', () => {
  let service: Service;
  let front: TemporalFront;
  let receiver: Receiver;
  let client: RestClient;
  let account: Account;
  let worker: Child;
  const folder = mkdtempSync(join(tmpdir(), 'lost-namespace-'));
  const logFile = join(folder, 'worker.log');
  before(async () => {
    const env = { WEBHOOK_RETRY_DELAYS: '1,600' };
    service = await startService({ apiIsHere: true, withoutWorker: true, env, workerEnv: { LOG_LEVEL: 'info' }, logFile });
    front = await startTemporalFront(service.temporal.address, true);
    receiver = await startReceiver((received, response, index) => answerWith(index === 0 ? 500 : 200)(received, response, index));
    worker = service.anotherWorker({ TEMPORAL_ADDRESS: front.address });
    await worker.start();
    client = restClient(service.url, service.db);
    account = await client.signUp();
  });
  afterEach(() => assertBooks(service.db));
  after(async () => {
    await service?.stop();
    front?.close();
    await receiver?.close();
    rmSync(folder, { recursive: true });
  });

  const log = () => readFileSync(logFile, 'utf8');
  /** How often this line was logged. Each of the two threads of the worker logs it. */
  const logged = (text: string) => log().split(text).length - 1;
  const lost = 'Temporal refuses the worker';
  const bulk = async () => {
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients: [{ to: '+15552000001' }] };
    const answer = await client.call('POST', '/api/v1/messages/bulk', { body, headers: { 'X-API-Key': account.apiKey } });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
  };
  const delivered = () => rows(service.db, `SELECT 1 FROM messages WHERE status = 'delivered'`);
  const succeeded = () =>
    rows(service.db, `SELECT 1 FROM deliveries JOIN delivery_attempts ON id = delivery_id WHERE status = 'succeeded' AND number = 2`);

  it('a worker whose polls Temporal refuses shows no life, and takes work of all queues again once the namespace is back', async () => {
    front.loseNamespace();
    await until(() => logged(lost) === 2, 'both threads leave their work');
    await until(async () => (await seenWorkers(service.db)).alive === 0, 'the worker is no longer alive');
    front.regainNamespace();
    await until(() => logged('"server":"Temporal","msg":"a server responds again') === 2, 'both threads take work');
    await client.hook(account, receiver.url, ['message.queued']);
    await client.send(account);
    await until(async () => (await succeeded()).length === 1, 'the second attempt has succeeded');
    await bulk();
    await until(async () => (await delivered()).length === 2, 'both messages are delivered');
    assert.equal((await seenWorkers(service.db)).alive, 1);
    assert.equal(logged('"ready"'), 1, 'the process was not started again');
  });

  it('a worker whose polls Temporal refuses stops on SIGTERM with 0', async () => {
    const before = logged(lost);
    front.loseNamespace();
    await until(() => logged(lost) === before + 2, 'both threads leave their work');
    assert.equal(await worker.stop(), 0, log().slice(-2_000));
  });
});
