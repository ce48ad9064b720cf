import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, bearer, type RestClient, restClient, until } from '../support/client.js';
import { select } from '../../models/db/database.js';
import { findInDatabase } from '../support/rows/find-anywhere.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { type Receiver, startReceiver } from '../support/network/receiver.js';
import { type Service, startService } from '../support/service.js';
import { workflowIds } from '../../workflows/contract.js';
import { watch } from '../support/temporal/watcher.js';

const digits = '5558675309';
const to = `+1${digits}`;
const address = 'nobody.else.has.this@example.com';

describe('an erasure in the whole service', () => {
  let service: Service;
  let receiver: Receiver;
  let logs: string;
  before(async () => {
    logs = mkdtempSync(join(tmpdir(), 'tidings-logs-'));
    receiver = await startReceiver();
    service = await startService({ env: { LOG_LEVEL: 'debug' }, logFile: join(logs, 'processes.log') });
  });
  after(async () => {
    await service?.stop();
    await receiver?.close();
    rmSync(logs, { recursive: true, force: true });
  });
  afterEach(() => assertBooks(service.db));

  /** Files below a folder with the text in them. */
  const filesWith = (folder: string, text: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file).toString().includes(text));

  /** Ids of workflows whose history has the text, plain or as Temporal keeps payloads. */
  async function workflowsWith(text: string): Promise<string[]> {
    const { client } = service.temporal;
    const found: string[] = [];
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      const seen = JSON.stringify(history, (_key, value: unknown) => (isBytes(value) ? Buffer.from(value).toString() : value));
      if (seen.includes(text)) found.push(workflowId);
    }
    return found;
  }

  /** A contact, messages on every channel, a chain and a batch. @returns the ids of the single messages */
  async function sendEverywhere(client: RestClient, account: Account): Promise<string[]> {
    const headers = { 'X-API-Key': account.apiKey };
    await client.call('POST', '/api/v1/contacts', { headers, body: { name: 'Jenny', phone: to, email: address } });
    const ids: string[] = [];
    for (const message of [
      { to, channel: 'sms', metadata: { phone: to }, reference: `order of ${to}`, content: { text: `Hello ${to}` } },
      { to, channel: 'whatsapp', content: { text: 'Hello' } },
      { to: address, channel: 'email', content: { text: 'Hello', subject: address, unsubscribe: true } },
      { to, channel: 'sms', content: { text: 'x' }, fallback: [{ channel: 'email', to: address, after: 60 }] },
    ]) {
      ids.push((await client.send(account, message, { 'Idempotency-Key': `for-${to}-${ids.length}` })).id);
    }
    const bulk = { channel: 'sms', content: { text: 'Hi {{name}}' }, recipients: [{ to, variables: { name: address } }] };
    await client.call('POST', '/api/v1/messages/bulk', { headers: { ...headers, 'Idempotency-Key': `bulk-for-${to}` }, body: bulk });
    return ids;
  }

  async function completed(client: RestClient, account: Account, id: string): Promise<void> {
    const isDone = async () => {
      // Chains are decided when their time is over, and what waited is looked at again.
      await select(service.db, `UPDATE fallbacks SET due_at = now() - interval '10 minutes' WHERE outcome IS NULL`);
      await select(service.db, 'UPDATE erasure_queue SET look_at = now()');
      await watch(service);
      const { body } = await client.call('GET', `/api/v1/erasures/${id}`, { headers: { 'X-API-Key': account.apiKey } });
      return body.data.erasure.status === 'completed';
    };
    await until(isDone, 'it is completed');
  }

  it('an erasure removes a recipient from every table, history, log and mail while a worker is killed', async () => {
    const client = restClient(service.url);
    const account = await client.signUp();
    await client.hook(account, receiver.url);
    const ids = await sendEverywhere(client, account);
    for (const id of ids) await client.messageUntil(account, id, ({ status }) => status === 'delivered' || status === 'read');
    const pending = async () => select(service.db, `SELECT 1 FROM deliveries WHERE status = 'pending'`);
    await until(async () => (await pending()).length === 0, 'all events are delivered');
    assert.notDeepEqual(await findInDatabase(service.db, digits), []);
    const erasures: string[] = [];
    for (const recipient of [to, address]) {
      const { status, body } = await client.call('POST', '/api/v1/erasures', { headers: bearer(account.token), body: { to: recipient } });
      assert.equal(status, 202);
      erasures.push(body.data.erasure.id);
    }
    await watch(service);
    await service.worker.kill();
    await service.worker.start();
    for (const id of erasures) await completed(client, account, id);
    for (const text of [digits, address]) {
      assert.deepEqual(await findInDatabase(service.db, text), []);
      assert.deepEqual(await workflowsWith(text), []);
      assert.deepEqual(filesWith(service.config.dataDir, text), [], 'mails and whatever else is kept');
      assert.deepEqual(filesWith(logs, text), []);
    }
    const workflows = await workflowsWith(ids[0] ?? '');
    assert.notDeepEqual(workflows, [], 'the search looks into histories');
    assert.notDeepEqual(filesWith(logs, account.workspaceId), [], 'the log is there');
    assert.notDeepEqual(filesWith(service.config.dataDir, account.email), [], 'the mails are there');
  });

  it('an erasure cancels a scheduled message at once, also while the schedule of the watcher is paused', async () => {
    const client = restClient(service.url);
    const account = await client.signUp();
    const schedule = service.temporal.client.schedule.getHandle(workflowIds.watcher);
    await schedule.pause();
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id } = await client.send(account, { to: '+15550001111', channel: 'sms', content: { text: 'x' }, scheduled_at });
    await client.call('POST', '/api/v1/erasures', { headers: bearer(account.token), body: { to: '+15550001111' } });
    const { error_code } = await client.messageUntil(account, id, ({ status }) => status === 'failed');
    assert.equal(error_code, 'cancelled');
    await schedule.unpause();
  });
});

const isBytes = (value: unknown): value is number[] | Uint8Array => value instanceof Uint8Array;
