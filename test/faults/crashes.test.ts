import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Workspace } from '../../models/tables/workspace.js';
import { workflowIds, workflowTypes } from '../../workflows/contract.js';
import { type Account, type RestClient, restClient, until } from '../support/client.js';
import { rows } from '../support/database.js';
import { type FaultProxy, startFaultProxy } from '../support/network/fault-proxy.js';
import { eventCount, timeoutsOf } from '../support/temporal/histories.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { type Service, startService } from '../support/service.js';
import { watch } from '../support/temporal/watcher.js';
import { prices } from '../support/prices.js';

describe('crashes', () => {
  let service: Service;
  let client: RestClient;
  let proxy: FaultProxy;
  let workerProxy: FaultProxy;
  before(async () => {
    proxy = await startFaultProxy(process.env.TEST_TEMPORAL as string);
    workerProxy = await startFaultProxy(process.env.TEST_TEMPORAL as string);
    service = await startService({
      isHere: true,
      env: { SANDBOX_DELAY_MS: '400' },
      workerEnv: { TEMPORAL_ADDRESS: workerProxy.address },
      apiEnv: { TEMPORAL_ADDRESS: proxy.address, ACCEPT_TIMEOUT_MS: '3500' },
    });
    client = restClient(service.url);
  });
  afterEach(async () => {
    await assertBooks(service.db);
    proxy.mode = 'pass';
    workerProxy.mode = 'pass';
  });
  after(async () => {
    await service.stop();
    await Promise.all([proxy.close(), workerProxy.close()]);
  });

  const messagesOf = (workspaceId: string) =>
    rows<{ id: string; status: string }>(service.db, 'SELECT id, status FROM messages WHERE workspace_id = $1', [workspaceId]);
  const balanceOf = async (workspaceId: string) => (await Workspace.findByPk(workspaceId))?.balance;

  it('a message whose worker crashes after the debit gets 201, is charged once and delivered', async () => {
    const doomed = await service.workerToKill();
    const account = await client.signUp();
    await client.send(account); // the path is warm
    // The worker hears of its task and does it, but nothing that it says is heard any more.
    workerProxy.mode = 'mute';
    const call = client.call('POST', '/api/v1/messages/send', {
      body: { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } },
      headers: { 'X-API-Key': account.apiKey },
    });
    await until(
      async () => (await messagesOf(account.workspaceId)).filter(({ status }) => status !== 'accepting').length === 2,
      'the debit commits',
    );
    await doomed.kill();
    workerProxy.mode = 'pass';
    const answer = await call;
    assert.equal(answer.status, 201, 'the fence finds that the workflow has won');
    await service.worker.start();
    await client.messageUntil(account, answer.body.data.message.id, ({ status }) => status === 'delivered');
    assert.equal(await balanceOf(account.workspaceId), 100_000 - 2 * prices.sms);
  });

  it('a group whose worker crashes after the hand-off is sent once', async () => {
    const doomed = await service.workerToKill();
    const account = await client.signUp();
    await client.send(account);
    const sent = await Promise.all(Array.from({ length: 5 }, () => client.send(account))); // the first alone, the others together
    workerProxy.mode = 'mute';
    const [group] = await rows<{ id: string; workflow_id: string }>(
      service.db,
      `SELECT id, workflow_id FROM message_groups g WHERE (SELECT count(*) FROM messages WHERE group_id = g.id AND workspace_id = $1) > 1`,
      [account.workspaceId],
    );
    const handle = service.temporal.client.workflow.getHandle(group?.workflow_id ?? '');
    const undelivered = `SELECT 1 FROM messages WHERE group_id = $1 AND status <> 'delivered'`;
    await until(async () => (await rows(service.db, undelivered, [group?.id])).length === 0, 'its messages are delivered');
    assert.equal((await handle.describe()).status.name, 'RUNNING', 'nobody has heard of it');
    await doomed.kill();
    workerProxy.mode = 'pass';
    await service.worker.start();
    await until(async () => (await handle.describe()).status.name === 'COMPLETED', 'its workflow ends');
    for (const { id } of sent) await client.messageUntil(account, id, ({ status }) => status === 'delivered');
    assert.equal(await balanceOf(account.workspaceId), 100_000 - 6 * prices.sms);
    const ids = sent.map(({ id }) => id);
    const twice = await rows(service.db, 'SELECT 1 FROM sandbox_messages WHERE idempotency_key = ANY($1::uuid[]) AND calls > 1', [ids]);
    assert.deepEqual(twice, []);
  });

  it('a send without any worker gets 500 after the deadline, and a later worker charges nothing', async () => {
    const account = await client.signUp();
    await service.worker.stop();
    const answer = await client.call('POST', '/api/v1/messages/send', {
      body: { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } },
      headers: { 'X-API-Key': account.apiKey },
    });
    assert.equal(answer.status, 500);
    assert.equal(answer.body.error, 'Internal server error. Please try again later.');
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.deepEqual(await messagesOf(account.workspaceId), []);
    const workflow = await latestWorkflow();
    await service.worker.start();
    assert.ok((await eventCount(service.temporal, workflow)) <= 8);
    assert.equal(await balanceOf(account.workspaceId), 100_000);
    assert.deepEqual(await messagesOf(account.workspaceId), []);
  });

  it('a worker that crashes in a run of the watcher delays the next run only by a heartbeat', async () => {
    const doomed = await service.workerToKill();
    await service.db.transaction(async (transaction) => {
      await service.db.query('LOCK TABLE replays', { transaction });
      await watch(service);
      await until(async () => (await waitingForLocks()) > 0, 'a step waits for the table');
      await doomed.kill();
    });
    await service.worker.start();
    const [before] = await rows(service.db, 'SELECT round_at FROM watcher');
    const ended = async () => !isDeepStrictEqual((await rows(service.db, 'SELECT round_at FROM watcher'))[0], before);
    await until(ended, 'the run ends');
    assert.deepEqual([...(await timeoutsOf(service.temporal, workflowTypes.runWatcher))], ['HEARTBEAT']);
  });

  it('a message whose workflow is lost is delivered, because the watcher starts it again', async () => {
    const account = await client.signUp();
    const { id } = await client.send(account, { scheduled_at: new Date(Date.now() + 600_000).toISOString() });
    await service.temporal.client.workflow.getHandle(workflowIds.message(id)).terminate('lost');
    await service.db.query(
      `UPDATE messages SET scheduled_at = now() - interval '5 minutes', status_detail = 'accepted' WHERE id = '${id}'`,
    );
    await watch(service);
    await until(async () => (await messagesOf(account.workspaceId))[0]?.status === 'delivered', 'it is delivered');
    assert.equal(await balanceOf(account.workspaceId), 100_000 - prices.sms);
  });

  describe('sends whose API crashes before the workflow', () => {
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
    let retrying: Account;
    let abandoned: Account;
    let headers: Record<string, string>;
    before(async () => {
      const doomed = await service.apiToKill();
      [retrying, abandoned] = [await client.signUp(), await client.signUp()];
      headers = { 'X-API-Key': retrying.apiKey, 'Idempotency-Key': randomUUID() };
      proxy.mode = 'blackhole';
      const calls = [
        client.call('POST', '/api/v1/messages/send', { body, headers }),
        client.send(abandoned, { channel: 'whatsapp' }), // no channel waits for the groups of another
      ].map((call) => call.catch(() => 'no answer'));
      const isStored = async ({ workspaceId }: Account) => (await messagesOf(workspaceId)).length === 1;
      await until(async () => (await isStored(retrying)) && (await isStored(abandoned)), 'both rows are stored');
      await doomed.kill();
      assert.deepEqual(await Promise.all(calls), ['no answer', 'no answer']);
      proxy.mode = 'pass';
      await service.api.start();
    });

    it('a send whose API crashes before the workflow is not charged, and its retry is answered 201 and sends once', async () => {
      const list = await client.call('GET', '/api/v1/messages', { headers: { 'X-API-Key': retrying.apiKey } });
      assert.equal(list.body.data.pagination.total, 0, 'what nobody decided is not shown');
      assert.equal(await balanceOf(retrying.workspaceId), 100_000);
      const retried = await client.call('POST', '/api/v1/messages/send', { body, headers });
      assert.equal(retried.status, 201);
      assert.equal(retried.headers.get('idempotent-replayed'), 'true');
      await client.messageUntil(retrying, retried.body.data.message.id, ({ status }) => status === 'delivered');
      assert.equal((await messagesOf(retrying.workspaceId)).length, 1);
      assert.equal(await balanceOf(retrying.workspaceId), 100_000 - prices.sms);
    });

    it('a send whose API crashes before the workflow and that is not retried is removed by the watcher', async () => {
      await watch(service);
      await until(async () => (await messagesOf(abandoned.workspaceId)).length === 0, 'the row is fenced');
      assert.equal(await balanceOf(abandoned.workspaceId), 100_000);
    });
  });

  async function waitingForLocks(): Promise<number> {
    const waiting = await rows(
      service.db,
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%replays%'`,
    );
    return waiting.length;
  }

  /** Temporal lists a workflow some time after its start. */
  async function latestWorkflow(): Promise<string> {
    const query = `WorkflowType IN ('sendMessage', 'sendGroup') AND ExecutionStatus = 'Running'`;
    let latest: string | undefined;
    const isListed = async () => {
      for await (const { workflowId } of service.temporal.client.workflow.list({ query })) latest ??= workflowId;
      return latest !== undefined;
    };
    await until(isListed, 'a running workflow is listed');
    return latest ?? '';
  }
});
