import assert from 'node:assert/strict';
import { pauseBatch, resumeBatch } from '../../../models/operations/batches/change-batch.js';
import type { ReportStatus } from '../../../models/rules/messages/status.js';
import { phones } from '../../support/bulk-requests.js';
import { type Account, bearer, type Json, type RestClient, restClient, until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { reportOf } from '../../support/rows/messages.js';
import { recordReports } from '../../support/rows/reports.js';
import { answerWith, startReceiver } from '../../support/network/receiver.js';
import { type Service, startService } from '../../support/service.js';
import { watch } from '../../support/temporal/watcher.js';

/** Recipients of the sandbox. */
const silentNumber = '+15005550002';
const failing = '+15005550006';
/** Longer ago than the watcher is patient. */
const longAgo = `now() - interval '10 minutes'`;

describe('a run of the watcher', () => {
  let service: Service;
  let client: RestClient;
  let account: Account;
  before(async () => {
    service = await startService({ isHere: true });
    client = restClient(service.url);
    account = await client.signUp();
  });
  afterEach(() => assertBooks(service.db));
  after(() => service.stop());

  const workflow = (id: string) => service.temporal.client.workflow.getHandle(id);
  const isDelivered = ({ status }: Json) => status === 'delivered';
  const messageAt = async (to: string, status: string) => {
    const { id } = await client.send(account, { to });
    return client.messageUntil(account, id, (message) => message.status === status);
  };
  /** A report in the inbox whose workflow was not woken. */
  const forget = async (message: Json, status: ReportStatus) => {
    await recordReports(service.db, [reportOf(message, status)]);
    await service.db.query(
      `UPDATE delivery_reports SET received_at = ${longAgo} WHERE message_id = '${message.id}' AND status = '${status}'`,
    );
  };

  it('a run of the watcher starts lost workflows, and leaves running ones alone', async () => {
    const [waiting, over, lost] = [
      await messageAt(silentNumber, 'sent'),
      await messageAt(failing, 'failed'),
      await messageAt(silentNumber, 'sent'),
    ];
    await until(async () => (await workflow(`msg:${over.id}`).describe()).status.name === 'COMPLETED', 'the workflow closes');
    await workflow(`msg:${lost.id}`).terminate('lost');
    for (const message of [waiting, over, lost]) await forget(message, 'delivered');
    const { id: driven } = await client.send(account, { scheduled_at: new Date(Date.now() + 600_000).toISOString() });
    await service.db.query(`UPDATE messages SET scheduled_at = ${longAgo} WHERE id = '${driven}'`);
    const earlier = (await workflow(`msg:${driven}`).describe()).runId;
    await service.db.query(`UPDATE mails SET sent_at = NULL, created_at = ${longAgo}`);

    await watch(service);

    for (const { id } of [waiting, over, lost]) await client.messageUntil(account, id, isDelivered);
    const unsent = () => rows<object>(service.db, 'SELECT 1 FROM mails WHERE sent_at IS NULL');
    await until(async () => (await unsent()).length === 0, 'the mail is sent');
    const { runId, status } = await workflow(`msg:${driven}`).describe();
    assert.deepEqual([runId, status.name], [earlier, 'RUNNING']);
    await client.call('POST', `/api/v1/messages/${driven}/cancel`, { headers: { 'X-API-Key': account.apiKey } });
  });

  it('a run of the watcher continues a replay where it stopped', async () => {
    const receiver = await startReceiver(answerWith(500));
    const hook = await client.hook(account, receiver.url, ['message.delivered']);
    await service.db.query(`UPDATE webhooks SET is_active = false WHERE id = '${hook.id}'`);
    const { id } = await client.send(account);
    await client.messageUntil(account, id, isDelivered);
    await until(async () => (await deliveriesOf(hook.id)).some(({ status }: Json) => status === 'held'), 'the event is held');
    await service.db.query(`UPDATE webhooks SET is_active = true WHERE id = '${hook.id}'`);
    await service.db.query(
      `INSERT INTO replays (id, webhook_id, since, until, statuses, matched, status, progress_at)
       VALUES (gen_random_uuid(), '${hook.id}', ${longAgo}, now() + interval '1 minute', '{held}', 1, 'running', ${longAgo})`,
    );

    await watch(service);

    await receiver.untilReceived(1);
    const replayed = async () =>
      (await client.call('GET', `/api/v1/webhooks/${hook.id}/replays`, { headers: bearer(account.token) })).body.data;
    await until(async () => (await replayed()).replays[0].status === 'completed', 'the replay ends');
    await receiver.close();
  });

  it('a run of the watcher continues after a failed step, and records it', async () => {
    await rows(service.db, 'ALTER TABLE replays RENAME COLUMN progress_at TO away');
    const { id } = await client.send(account, { scheduled_at: new Date(Date.now() + 600_000).toISOString() });
    await workflow(`msg:${id}`).terminate('lost');
    await rows(service.db, `UPDATE messages SET scheduled_at = ${longAgo} WHERE id = $1`, [id]);

    await watch(service);

    await client.messageUntil(account, id, isDelivered);
    const failing = async () => (await client.call('GET', '/health')).body.watcher.failing;
    await until(async () => (await failing()).length > 0, 'the failing step is reported');
    assert.deepEqual(await failing(), ['repairReplays']);
    await rows(service.db, 'ALTER TABLE replays RENAME COLUMN away TO progress_at');
    await watch(service);
    await until(async () => (await failing()).length === 0, 'all is healthy again');
  });

  it('a run of the watcher notifies the pages of a resumed batch', async () => {
    const scheduled_at = new Date(Date.now() + 600_000).toISOString();
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients: phones(3).map((to) => ({ to })), scheduled_at };
    const headers = { 'X-API-Key': account.apiKey };
    const { batch } = (await client.call('POST', '/api/v1/messages/bulk', { body, headers })).body.data;
    const [page] = await rows<{ id: string; workflow_id: string }>(
      service.db,
      'SELECT id, workflow_id FROM message_groups WHERE batch_id = $1',
      [batch.id],
    );
    const isThere = () =>
      workflow(page?.workflow_id ?? '')
        .describe()
        .then(
          ({ status }) => status.name === 'RUNNING',
          () => false,
        );
    await until(isThere, 'its page runs');
    await pauseBatch(service.db, account.workspaceId, batch.id);
    for (const table of ['messages', 'batches'])
      await rows(service.db, `UPDATE ${table} SET scheduled_at = ${longAgo} WHERE scheduled_at IS NOT NULL`);
    await resumeBatch(service.db, account.workspaceId, batch.id);

    await watch(service);

    const delivered = () => rows(service.db, `SELECT 1 FROM messages WHERE batch_id = $1 AND status = 'delivered'`, [batch.id]);
    await until(async () => (await delivered()).length === 3, 'the batch goes on');
  });

  it('a run of the watcher gives up on a report of a paused batch, and leaves its queued messages', async () => {
    const body = {
      channel: 'sms',
      content: { text: 'Hello' },
      recipients: [silentNumber, silentNumber, silentNumber],
      allow_duplicates: true,
      rate: 0.1,
    };
    const headers = { 'X-API-Key': account.apiKey };
    const { batch } = (await client.call('POST', '/api/v1/messages/bulk', { body, headers })).body.data;
    const states = async () =>
      (
        await rows<{ state: string }>(
          service.db,
          `SELECT status || '/' || status_detail AS state FROM messages WHERE batch_id = $1 ORDER BY sent_at, id`,
          [batch.id],
        )
      ).map(({ state }) => state);
    await until(async () => (await states())[0] === 'sent/awaiting_report', 'one is handed off');
    await pauseBatch(service.db, account.workspaceId, batch.id);
    await until(async () => !(await states()).includes('queued/sending'), 'no call is in progress');
    const before = await states();
    await rows(service.db, `UPDATE messages SET sent_at = sent_at - interval '4 days' WHERE batch_id = $1`, [batch.id]);

    await watch(service);

    const after = before.map((state) => state.replace('awaiting_report', 'unknown'));
    await until(async () => (await states()).join() === after.join(), 'what was handed off is given up');
    assert.ok(after.includes('queued/accepted'), after.join());
    await client.call('POST', `/api/v1/messages/bulk/${batch.id}/cancel`, { headers });
  });

  const deliveriesOf = async (webhookId: string): Promise<Json[]> =>
    (await client.call('GET', `/api/v1/webhooks/${webhookId}/deliveries`, { headers: bearer(account.token) })).body.data.deliveries;
});
