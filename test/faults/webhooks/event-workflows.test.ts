import assert from 'node:assert/strict';
import { type Account, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { ownTemporal } from '../../support/temporal/own-temporal.js';
import { answerWith, type Receiver, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';
import { literalShape } from '../../support/rows/shapes.js';

/** Temporal's own limit is 2,000; a page of 250 with three dead webhooks has 2,250 events. The same in small. */
const childrenMax = 110;
const recipients = 15;
const webhooks = 3;
const events = 3;

describe('a workflow for each event', () => {
  let service: Service;
  let client: RestClient;
  let account: Account;
  let dead: Receiver;
  before(async () => {
    const temporal = await ownTemporal([`limit.numPendingChildExecutions.error=${childrenMax}`]);
    service = await startService({ isHere: true, temporal, env: { ...literalShape, WEBHOOK_RETRY_DELAYS: '600,600' } });
    client = restClient(service.url);
    account = await client.signUp();
    dead = await startReceiver(answerWith(503, { 'Retry-After': '600' }));
  });
  after(async () => {
    await dead.close();
    await service.stop();
  });

  const running = async () =>
    (await service.temporal.client.workflow.count(`WorkflowType = 'deliverWebhook' AND ExecutionStatus = 'Running'`)).count;

  it('a workflow for each event finishes a page with more events than Temporal allows child workflows', async () => {
    for (let count = 0; count < webhooks; count += 1) await client.hook(account, dead.url);
    const to = Array.from({ length: recipients }, (_, index) => ({ to: `+1555200${String(index).padStart(4, '0')}` }));
    const { status, body } = await client.call('POST', '/api/v1/messages/bulk', {
      body: { channel: 'sms', content: { text: 'Hello' }, recipients: to },
      headers: { 'X-API-Key': account.apiKey },
    });
    assert.equal(status, 201, JSON.stringify(body));
    const isDelivered = async () =>
      (await rows(service.db, `SELECT 1 FROM messages WHERE status = 'delivered'`)).length === recipients &&
      (await rows(service.db, 'SELECT 1 FROM message_groups WHERE closed_at IS NULL')).length === 0;
    await until(isDelivered, 'every message is delivered and its page closed');
    await until(async () => (await running()) === recipients * webhooks * events, 'each event has its workflow');
    await assertBooks(service.db);
  });
});
