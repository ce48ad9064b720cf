import assert from 'node:assert/strict';
import { phones } from '../support/bulk-requests.js';
import { type Account, type Json, type RestClient, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { type Received, startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';
import { prices } from '../support/prices.js';
import { toCredits } from '../../models/rules/billing/credits.js';

describe('the workflow of a batch', () => {
  let service: Service;
  let client: RestClient;
  before(async () => {
    service = await startService({ isHere: true, env: { SIGNUP_CREDITS: '1000', REPORT_TIMEOUT_SMS: '20' } });
    client = restClient(service.url);
  });
  afterEach(() => assertBooks(service.db));
  after(() => service.stop());

  const post = (account: Account, path: string, body?: Json) =>
    client.call('POST', path, { body, headers: { 'X-API-Key': account.apiKey } });
  const bulk = async (account: Account, body: Json): Promise<Json> => {
    const answer = await post(account, '/api/v1/messages/bulk', { channel: 'sms', content: { text: 'Hello' }, ...body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data.batch;
  };
  const get = async (account: Account, id: string): Promise<Json> =>
    (await client.call('GET', `/api/v1/messages/bulk/${id}`, { headers: { 'X-API-Key': account.apiKey } })).body.data.batch;
  const batchUntil = async (account: Account, id: string, matches: (batch: Json) => boolean, what: string): Promise<Json> => {
    let batch: Json;
    await until(async () => {
      batch = await get(account, id);
      const sum = Object.values(batch.counts as Record<string, number>).reduce((total, count) => total + count, 0);
      assert.equal(sum, batch.accepted, 'the counts add up at every look');
      return matches(batch);
    }, what);
    return batch;
  };
  const balanceOf = async ({ workspaceId }: Account) => {
    const [workspace] = await rows<{ balance: number }>(service.db, 'SELECT balance FROM workspaces WHERE id = $1', [workspaceId]);
    return workspace?.balance;
  };

  it('a batch of 300 messages has one debit, two pages and 900 events in order', async () => {
    const receiver = await startReceiver();
    const account = await client.signUp();
    await client.hook(account, receiver.url);
    const { id } = await bulk(account, {
      content: { text: 'Hello {{name}}' },
      recipients: phones(300).map((to, index) => ({ to, variables: { name: `n${index}` } })),
    });
    const done = await batchUntil(account, id, ({ counts }) => counts.delivered === 300, 'all are delivered');
    assert.deepEqual([done.status, done.credits_used, done.total, done.accepted], ['completed', toCredits(300 * prices.sms), 300, 300]);
    assert.equal(await balanceOf(account), 1_000_000 - 300 * prices.sms);
    const entries = await rows(service.db, 'SELECT kind, amount FROM credit_entries WHERE workspace_id = $1 ORDER BY id', [
      account.workspaceId,
    ]);
    assert.deepEqual(entries, [
      { kind: 'grant', amount: 1_000_000 },
      { kind: 'debit', amount: -300 * prices.sms },
    ]);
    // At least once: a repeated delivery has the same id, and is not a second event.
    const idOf = ({ headers }: Received) => String(headers['webhook-id']);
    await until(() => new Set(receiver.received.map(idOf)).size === 900, 'all events have come');
    const known = new Set<string>();
    const events = receiver.received.filter((received) => known.size < known.add(idOf(received)).size);
    const byMessage = new Map<string, string[]>();
    for (const { body } of events) {
      const { event, data } = JSON.parse(body);
      byMessage.set(data.message_id, [...(byMessage.get(data.message_id) ?? []), event]);
    }
    assert.equal(byMessage.size, 300);
    for (const sequence of byMessage.values()) assert.deepEqual(sequence, ['message.queued', 'message.sent', 'message.delivered']);
    await assertPriceOfPages(id);
    await receiver.close();
  });

  /** Histories are paid by the event: a page has 40 at most, and 3 for each time that it was woken. */
  async function assertPriceOfPages(batchId: string): Promise<void> {
    const pages = await rows<{ workflow_id: string }>(service.db, 'SELECT workflow_id FROM message_groups WHERE batch_id = $1', [batchId]);
    assert.equal(pages.length, 2);
    for (const { workflow_id } of pages) {
      const handle = service.temporal.client.workflow.getHandle(workflow_id);
      await handle.result();
      const { events } = await handle.fetchHistory();
      const signals = (events ?? []).filter(({ workflowExecutionSignaledEventAttributes: signal }) => (signal ?? null) !== null).length;
      const count = events?.length ?? 0;
      assert.ok(count > 0 && count <= 40 + 3 * signals, `${count} events with ${signals} wake-ups`);
    }
  }

  it('a batch sends nothing while it is paused', async () => {
    const account = await client.signUp();
    const { id } = await bulk(account, { recipients: phones(300), rate: 100 });
    await batchUntil(account, id, ({ counts }) => counts.queued < 300, 'it has begun');
    const paused = await post(account, `/api/v1/messages/bulk/${id}/pause`);
    assert.deepEqual([paused.status, paused.body.data.batch.status], [200, 'paused']);
    // Calls in flight end; what is taken a moment later is all there will be.
    await until(
      async () => (await rows(service.db, `SELECT 1 FROM messages WHERE batch_id = $1 AND status_detail = 'sending'`, [id])).length === 0,
      'nothing is in flight',
    );
    const queued = async () => (await get(account, id)).counts.queued;
    const taken = async () => (await queued()) - (await new Promise((resolve) => setTimeout(resolve, 1_000)).then(queued));
    // 25 at most, if they were being taken while the batch was paused. In a second 100 would be sent.
    assert.ok((await taken()) <= 25);
    assert.equal(await taken(), 0);
    assert.ok((await queued()) > 0);
    assert.equal((await post(account, `/api/v1/messages/bulk/${id}/resume`)).body.data.batch.status, 'sending');
    await batchUntil(account, id, ({ counts }) => counts.delivered === 300, 'all are delivered');
    assert.equal(await balanceOf(account), 1_000_000 - 300 * prices.sms);
  });

  it('a cancelled batch refunds exactly its waiting messages', async () => {
    const account = await client.signUp();
    const { id } = await bulk(account, { recipients: phones(500), rate: 100 });
    await batchUntil(account, id, ({ counts }) => counts.queued < 480, 'it has begun');
    const answer = await post(account, `/api/v1/messages/bulk/${id}/cancel`);
    assert.deepEqual([answer.status, answer.body.data.batch.status], [200, 'cancelled']);
    const done = await batchUntil(account, id, ({ counts }) => counts.queued === 0 && counts.sent === 0, 'everything has ended');
    assert.equal(done.counts.delivered + done.counts.failed, 500);
    assert.ok(done.counts.failed > 0 && done.counts.delivered > 0, JSON.stringify(done.counts));
    assert.equal(done.credits_used, toCredits(done.counts.delivered * prices.sms));
    assert.equal(await balanceOf(account), 1_000_000 - done.counts.delivered * prices.sms);
    const taken = await rows(
      service.db,
      'SELECT 1 FROM sandbox_messages s JOIN messages m ON m.id = s.idempotency_key WHERE m.batch_id = $1',
      [id],
    );
    assert.equal(taken.length, done.counts.delivered);
  });

  it('a batch sends every message once when the worker is killed', async () => {
    const account = await client.signUp();
    const doomed = await service.workerToKill();
    const { id } = await bulk(account, { recipients: phones(500) });
    const interrupted = new Set<string>();
    for (const [threshold, successor] of [[450, doomed] as const, [250, service.worker] as const]) {
      await batchUntil(account, id, ({ counts }) => counts.queued <= threshold, `${threshold} are left`);
      await doomed.kill();
      for (const messageId of await openCalls(id)) interrupted.add(messageId);
      await successor.start();
    }
    await batchUntil(account, id, ({ counts }) => counts.delivered === 500, 'all are delivered');
    const taken = await rows<{ message_id: string; calls: number }>(
      service.db,
      'SELECT m.id AS message_id, s.calls FROM sandbox_messages s JOIN messages m ON m.id = s.idempotency_key WHERE m.batch_id = $1',
      [id],
    );
    assert.equal(taken.length, 500);
    // The sandbox sends a message once, like each idempotent provider. Only a call that a kill interrupted may be repeated.
    const repeated = taken.filter(({ message_id, calls }) => calls > 1 && !interrupted.has(message_id));
    assert.deepEqual(repeated, []);
    assert.equal(await balanceOf(account), 1_000_000 - 500 * prices.sms);
  });

  /** The messages of a batch of which it is not known whether the provider has them. */
  async function openCalls(batchId: string): Promise<string[]> {
    const open = await rows<{ message_id: string }>(
      service.db,
      `SELECT message_id FROM send_attempts a JOIN messages m ON m.id = a.message_id
       WHERE m.batch_id = $1 AND (a.outcome IS NULL OR a.outcome = 'unknown')`,
      [batchId],
    );
    return open.map(({ message_id }) => message_id);
  }

  it('a batch that the balance does not pay gets 402, and nothing of it is stored', async () => {
    const account = await client.signUp();
    const answer = await post(account, '/api/v1/messages/bulk', { channel: 'sms', content: { text: 'Hello' }, recipients: phones(1_001) });
    assert.deepEqual(
      [answer.status, answer.body.error],
      [402, `Insufficient credits. You need ${toCredits(1_001 * prices.sms)} credits but have 1000.`],
    );
    assert.deepEqual(await rows(service.db, 'SELECT id FROM batches WHERE workspace_id = $1', [account.workspaceId]), []);
    assert.deepEqual(await rows(service.db, 'SELECT id FROM messages WHERE workspace_id = $1', [account.workspaceId]), []);
  });

  it('a scheduled batch is sent at its time, with queued events at once', async () => {
    const account = await client.signUp();
    const at = Date.now() + 5_000;
    const batch = await bulk(account, { recipients: phones(3), scheduled_at: new Date(at).toISOString() });
    assert.equal(batch.status, 'scheduled');
    await batchUntil(account, batch.id, ({ status }) => status === 'completed', 'it is completed');
    const sent = await rows<{ sent_at: Date }>(service.db, 'SELECT sent_at FROM messages WHERE batch_id = $1', [batch.id]);
    for (const { sent_at } of sent) assert.ok(sent_at.getTime() >= at - 1_000);
  });
});
