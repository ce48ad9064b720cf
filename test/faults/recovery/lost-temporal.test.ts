import assert from 'node:assert/strict';
import { ScheduleClient } from '@temporalio/client';
import { workflowIds } from '../../../workflows/contract.js';
import { type Account, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type OwnTemporal, ownTemporal } from '../../support/temporal/own-temporal.js';
import { answerWith, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';
import { makeOpenRowsDue } from '../../support/temporal/watcher.js';

/** Recipient of the sandbox of whom no report comes. */
const silentNumber = '+15005550002';

describe('a Temporal server that loses all its data', () => {
  let temporal: OwnTemporal;
  let service: Service;
  let client: RestClient;
  let account: Account;
  before(async () => {
    temporal = await ownTemporal([]);
    service = await startService({ isHere: true, temporal, env: { SIGNUP_CREDITS: '2000', REPORT_TIMEOUT_SMS: '600' } });
    client = restClient(service.url);
    account = await client.signUp();
  });
  afterEach(() => assertBooks(service.db));
  after(() => service.stop());

  const scheduled_at = () => new Date(Date.now() + 3_600_000).toISOString();
  const statuses = async () => {
    const sql = `SELECT status || '/' || status_detail AS state, count(*) FROM messages GROUP BY 1 ORDER BY 1`;
    return Object.fromEntries(
      (await rows<{ state: string; count: string }>(service.db, sql)).map(({ state, count }) => [state, Number(count)]),
    );
  };
  const bulk = async (count: number): Promise<string> => {
    const recipients = Array.from({ length: count }, (_, index) => ({ to: `+1555${String(2_000_000 + index)}` }));
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients, scheduled_at: scheduled_at() };
    const answer = await client.call('POST', '/api/v1/messages/bulk', { body, headers: { 'X-API-Key': account.apiKey } });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data.batch.id;
  };
  /** The time that everything waits for passes while Temporal is gone. */
  const passTime = async () => {
    for (const table of ['messages', 'batches'])
      await rows(service.db, `UPDATE ${table} SET scheduled_at = now() - interval '5 minutes' WHERE scheduled_at IS NOT NULL`);
    await rows(service.db, `UPDATE messages SET sent_at = sent_at - interval '1 hour' WHERE status = 'sent'`);
    await rows(service.db, `UPDATE deliveries SET next_attempt_at = now() - interval '5 minutes' WHERE status = 'pending'`);
    await rows(service.db, `UPDATE webhooks SET carrier_looks_at = now() - interval '5 minutes'`);
    await makeOpenRowsDue(service.db);
  };

  it('a Temporal server that loses all its data loses no open message, and running workers finish them all', async function () {
    this.timeout(180_000);
    let status = 500;
    const receiver = await startReceiver((...args) => answerWith(status)(...args));
    await client.hook(account, receiver.url, ['message.queued']);
    const told = await client.send(account, { to: silentNumber });
    const hooked = () => rows(service.db, `SELECT 1 FROM deliveries WHERE status = 'pending' AND carried`);
    await until(async () => (await hooked()).length === 1, 'the retrier has the event');
    await rows(service.db, 'UPDATE webhooks SET events = ARRAY[]::text[]');
    const batchId = await bulk(300);
    for (let count = 0; count < 40; count += 1) await client.send(account, { scheduled_at: scheduled_at() });
    for (let count = 0; count < 10; count += 1) await client.send(account, { to: silentNumber });
    await until(async () => (await statuses())['sent/awaiting_report'] === 11, 'those without reports are sent');
    assert.equal((await statuses())['queued/scheduled'], 340);

    await temporal.loseData();
    status = 200;
    await passTime();

    const done = async () => {
      const { 'delivered/delivered': delivered, 'sent/unknown': unknown } = await statuses();
      return delivered === 340 && unknown === 11;
    };
    await until(done, 'every message has come to its end');
    const open = () => rows(service.db, 'SELECT 1 FROM message_groups WHERE closed_at IS NULL');
    await until(async () => (await open()).length === 0, 'every group is closed');
    await until(async () => (await hooked()).length === 0, 'the event is delivered');
    const completed = () => rows(service.db, `SELECT 1 FROM batches WHERE id = $1 AND status = 'completed'`, [batchId]);
    await until(async () => (await completed()).length === 1, 'the batch is completed');
    const { connection, namespace } = temporal;
    const { spec } = await new ScheduleClient({ connection, namespace }).getHandle(workflowIds.watcher).describe();
    assert.equal(spec.intervals?.[0]?.every, 30_000);
    assert.equal((await client.messageUntil(account, told.id, () => true)).status, 'sent');
    const fresh = await client.send(account);
    await client.messageUntil(account, fresh.id, (message) => message.status === 'delivered');
    await receiver.close();
  });

  it('a Temporal server that loses all its data runs the watcher again, as /health shows', async () => {
    const health = async () => (await client.call('GET', '/health')).body;
    await until(async () => (await health()).watcher.age_seconds < 60, 'a run is noted');
    assert.deepEqual([(await health()).status, (await health()).watcher.failing], ['ok', []]);
  });
});
