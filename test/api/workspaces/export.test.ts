import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { select } from '../../../models/db/database.js';
import { Batch } from '../../../models/tables/batch.js';
import { Message } from '../../../models/tables/message.js';
import { until } from '../../support/client.js';
import { buildDeliveries } from '../../support/rows/deliveries.js';
import { buildReplay, buildWebhook } from '../../support/rows/factories.js';
import { withClock } from '../../support/shift-clock.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/export';
const attempted = `
  INSERT INTO delivery_attempts (delivery_id, number, at, trigger, duration_ms, response_status) VALUES ($1, 1, now(), 'scheduled', 5, 503)`;

interface Line {
  type: string;
  data: Record<string, unknown>;
}

describe('GET /api/v1/export', () => {
  const app = useApi();
  let account: Account;
  beforeEach(async () => {
    account = await app.account({ balance: 100_000_000 });
  });

  const get = () => fetch(app.url + path, { headers: { Authorization: `Bearer ${account.jwt}` } });
  const lines = async (): Promise<Line[]> =>
    (await (await get()).text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const bulk = (count: number) => {
    const recipients = Array.from({ length: count }, (_, index) => `+1555${1_000_000 + index}`);
    const body = { channel: 'sms', content: { text: 'x'.repeat(1000) }, recipients };
    return app.call('POST', '/api/v1/messages/bulk', { key: account.key, body });
  };

  /** Gives each of the two workspaces rows; the one of the export has at least one of each kind. */
  async function fill(other: Account): Promise<void> {
    await app.call('POST', '/api/v1/contacts', { key: other.key, body: { phone: '+15550000001' } });
    await app.call('POST', '/api/v1/contacts', { key: account.key, body: { phone: '+15550000002' } });
    const entry = { channel: 'sms', recipient: '+15550000003' };
    await app.call('POST', '/api/v1/suppressions', { key: account.key, body: entry });
    await bulk(450);
    const { row: webhook } = await buildWebhook(account.workspaceId, 'https://one.example.test/');
    const [delivery] = await buildDeliveries(app.deps.db, account.workspaceId);
    await select(app.deps.db, attempted, [delivery?.id]);
    await buildReplay(webhook.id);
    const theirs = await buildWebhook(other.workspaceId, 'https://two.example.test/');
    await buildReplay(theirs.row.id);
    await app.call('POST', '/api/v1/erasures', { key: account.key, body: { to: '+15550000004' } });
  }

  it('200 for an export, with a line for every row of the workspace, and none of others', async () => {
    const other = await app.account();
    await fill(other);
    const answer = await get();
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/x-ndjson; charset=utf-8']);
    await answer.text();
    const all = await lines();
    const counts = new Map<string, number>();
    for (const { type } of all) counts.set(type, (counts.get(type) ?? 0) + 1);
    assert.deepEqual(Object.fromEntries(counts), {
      workspace: 1,
      api_key: 1,
      webhook: 1,
      delivery: 1,
      replay: 1,
      contact: 1,
      suppression: 1,
      batch: 1,
      message: 451,
      transaction: 3,
      audit_event: counts.get('audit_event'),
      erasure: 1,
      end: 1,
    });
    const events = await app.call('GET', '/api/v1/audit-events?limit=100', { jwt: account.jwt });
    assert.deepEqual(
      all.filter(({ type }) => type === 'audit_event').map(({ data }) => data),
      events.body.data.audit_events.toReversed(),
      'as the API shows them, oldest first',
    );
    const shown = all.find(({ type }) => type === 'delivery')?.data as { attempts: object[] } | undefined;
    assert.equal(shown?.attempts.length, 1);
    assert.deepEqual(all.at(-1), { type: 'end', data: { lines: all.length - 1 } });
    assert.equal(new Set(all.map(({ data }) => data.id)).size, all.length);
    assert.doesNotMatch(JSON.stringify(all), /password|digest|secret_key|15550000001/);
    const told = await app.call('GET', '/api/v1/audit-events?type=workspace.exported', { jwt: account.jwt });
    assert.equal(told.body.data.audit_events.length, 2);
  });

  it('an export has the errors of each batch, of which one at a time is in memory', async () => {
    for (const to of ['+15551000001', '+15551000002']) {
      const body = { channel: 'sms', content: { text: 'x' }, recipients: [to, 'wrong'], on_invalid: 'skip' };
      await app.call('POST', '/api/v1/messages/bulk', { key: account.key, body });
    }
    await bulk(1);
    let most = 0;
    Batch.addHook('afterFind', 'counting', (found) => {
      const withErrors = [found].flat().filter((row) => row !== null && 'errors' in (row as Batch).get());
      most = Math.max(most, withErrors.length);
    });
    const batches = (await lines()).filter(({ type }) => type === 'batch');
    Batch.removeHook('afterFind', 'counting');
    assert.deepEqual(
      batches.map(({ data }) => (data.errors as object[]).length),
      [1, 1, 0],
    );
    assert.equal(most, 1);
  });

  it('an export has the rows that an API process whose clock is ahead made before', async () => {
    await withClock(300_000, () => app.call('POST', '/api/v1/contacts', { key: account.key, body: { phone: '+15550000005' } }));
    assert.equal((await lines()).filter(({ type }) => type === 'contact').length, 1);
  });

  it('401 for an export with an API key', async () => {
    assert.equal((await app.call('GET', path, { key: account.key })).status, 401);
  });

  it('409 for all but one of ten exports at once, and 200 after them', async () => {
    const lock = await app.deps.db.transaction();
    await select(app.deps.db, 'LOCK TABLE audit_events IN EXCLUSIVE MODE', [], lock); // the first cannot end before the others begin
    const statuses: number[] = [];
    const asked = Array.from({ length: 10 }, async () => {
      const answer = await get();
      statuses.push(answer.status);
      await answer.text();
    });
    await until(() => statuses.length === 9, 'nine are answered');
    await lock.commit();
    await Promise.all(asked);
    assert.deepEqual(statuses, [...Array.from({ length: 9 }, () => 409), 200]);
    for (const method of ['HEAD', 'HEAD', 'GET']) assert.equal((await app.call(method, path, { jwt: account.jwt })).status, 200, method);
  });

  it('500 for an export whose audit event cannot be stored, and 200 for the next one', async () => {
    await select(app.deps.db, 'ALTER TABLE audit_events RENAME TO hidden_events');
    assert.equal((await get()).status, 500);
    await select(app.deps.db, 'ALTER TABLE hidden_events RENAME TO audit_events');
    assert.equal((await lines()).at(-1)?.type, 'end');
  });

  it('an export ends without its last line when its session ends, and the next one gets 401', async () => {
    await bulk(6_000);
    const asked = request(app.url + path, { headers: { Authorization: `Bearer ${account.jwt}` } }).end();
    const [response] = await once(asked, 'response');
    response.once('data', () => response.pause());
    await once(response, 'data');
    const ended = await app.call('POST', '/api/v1/auth/logout-all', { jwt: account.jwt });
    assert.equal(ended.status, 200);
    const rest: Buffer[] = [];
    response.on('data', (chunk: Buffer) => rest.push(chunk)).resume();
    await assert.rejects(once(response, 'end'), { code: 'ECONNRESET' });
    assert.doesNotMatch(Buffer.concat(rest).toString(), /"type":"end"/);
    assert.equal((await get()).status, 401);
  });

  it('an export reads as fast as its client, one at a time, and ends with the client', async () => {
    await bulk(6_000);
    let read = 0;
    Message.addHook('afterFind', 'counting', (found) => void (read += (found as object[]).length));
    const asked = request(app.url + path, { headers: { Authorization: `Bearer ${account.jwt}` } }).end();
    const [response] = await once(asked, 'response');
    response.once('data', () => response.pause());
    await once(response, 'data');
    assert.equal((await app.call('GET', path, { jwt: account.jwt })).status, 409);
    let quiet = { read: 0, looks: 0 };
    const isQuiet = () => {
      quiet = read === quiet.read ? { read, looks: quiet.looks + 1 } : { read, looks: 0 };
      return quiet.looks === 10;
    };
    await until(isQuiet, 'it waits for its reader');
    assert.ok(read > 0 && read < 6_000, `${read} messages were read`);
    Message.removeHook('afterFind', 'counting');
    asked.destroy();
    await until(async () => (await app.call('HEAD', path, { jwt: account.jwt })).status === 200, 'the export has ended with its client');
    assert.equal((await lines()).filter(({ type }) => type === 'message').length, 6_000);
  });
});
