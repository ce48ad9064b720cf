import assert from 'node:assert/strict';
import { suppress } from '../../../models/operations/contacts/suppress.js';
import { disableWebhook } from '../../../models/operations/webhooks/disable-webhook.js';
import { rows } from '../../support/database.js';
import { assertRecent } from '../../support/measure/times.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

const list = '/api/v1/audit-events';
interface Event {
  id: string;
  at: string;
  type: string;
  actor: { type: string; id: string | null; name: string | null };
  target: { type: string; id: string; name: string | null };
  changes: Record<string, unknown> | null;
}

describe('audit events', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });

  const events = async (query = ''): Promise<Event[]> => {
    const { status, body } = await app.call('GET', `${list}${query}`, { jwt: account.jwt });
    assert.equal(status, 200);
    return body.data.audit_events;
  };
  const types = async (query = '') => (await events(query)).map(({ type }) => type);

  it('an audit event shows who created a key, from which address and by which request', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.7', 'User-Agent': 'tester/1', 'X-Request-Id': 'req-1' };
    const { body } = await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'CI' }, headers });
    const answer = await app.call('GET', list, { jwt: account.jwt });
    assert.equal(answer.status, 200);
    const [{ id, at, actor, ...event }] = answer.body.data.audit_events;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assertRecent(at);
    assert.deepEqual([actor.type, actor.id], ['user', account.workspaceId]);
    assert.match(actor.name, /@example\.test$/);
    assert.deepEqual(event, {
      type: 'api_key.created',
      address: '203.0.113.7',
      user_agent: 'tester/1',
      request_id: 'req-1',
      target: { type: 'api_key', id: body.data.id, name: 'CI' },
      changes: { scopes: body.data.scopes },
    });
    assert.ok(!JSON.stringify(answer.body).includes(body.data.key));
  });

  it('a key that is revoked twice has one audit event of it', async () => {
    const { body } = await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'x' } });
    for (const _ of [1, 2]) await app.call('DELETE', `/api/v1/api-keys/${body.data.id}`, { jwt: account.jwt });
    assert.deepEqual(await types(), ['api_key.revoked', 'api_key.created']);
  });

  it('audit events name the API key that changed a webhook, and no secret of its URL', async () => {
    const { key } = account;
    const url = 'https://8.8.8.8/hooks/token-1?token=token-2';
    const created = await app.call('POST', '/api/v1/webhooks', { key, body: { url, events: ['message.sent'] } });
    const path = `/api/v1/webhooks/${created.body.data.webhook.id}`;
    await app.call('PUT', path, { key, body: { events: ['message.failed'], description: 'a text', url: 'https://8.8.8.8/other' } });
    await app.call('PUT', path, { key, body: { events: ['message.failed'] } });
    await app.call('POST', `${path}/rotate-secret`, { key, body: {} });
    await app.call('DELETE', path, { key });
    const found = await events();
    assert.deepEqual(
      found.map(({ type }) => type),
      ['webhook.deleted', 'webhook.secret_rotated', 'webhook.updated', 'webhook.created'],
    );
    assert.deepEqual(new Set(found.map(({ actor }) => `${actor.type} ${actor.name}`)), new Set(['api_key test']));
    assert.deepEqual(found[2]?.changes, {
      path: 'changed',
      events: { from: ['message.sent'], to: ['message.failed'] },
      description: 'changed',
    });
    assert.doesNotMatch(JSON.stringify(found), /token-|a text|whsec/);
  });

  it('audit events name the service as actor of its own changes', async () => {
    const { body } = await app.call('POST', '/api/v1/webhooks', {
      jwt: account.jwt,
      body: { url: 'https://8.8.8.8/', events: ['message.sent'] },
    });
    await disableWebhook(app.deps.db, body.data.webhook.id, 'The endpoint returned 410 Gone', body.data.webhook);
    const entry = {
      workspace_id: account.workspaceId,
      channel: 'sms',
      recipient: '+15551230000',
      reason: 'bounce',
      source: 'report',
    } as const;
    await suppress(app.deps.db, [entry]);
    await suppress(app.deps.db, [{ ...entry, reason: 'opt_out', source: 'inbound' }]);
    await suppress(app.deps.db, [{ ...entry, reason: 'opt_out', source: 'inbound' }]);
    const found = await events('?actor=system');
    assert.deepEqual(
      found.map(({ type, actor: { name } }) => `${type} ${name}`),
      ['suppression.created inbound', 'suppression.created report', 'webhook.disabled deliveries'],
    );
    assert.doesNotMatch(JSON.stringify(found), /5551230000/);
  });

  it('audit events of suppressions do not name the recipient', async () => {
    const { body } = await app.call('POST', '/api/v1/suppressions', {
      key: account.key,
      body: { channel: 'sms', recipient: '+15551230000' },
    });
    await app.call('DELETE', `/api/v1/suppressions/${body.data.suppression.id}`, { key: account.key });
    const found = await events();
    assert.deepEqual(
      found.map(({ type }) => type),
      ['suppression.deleted', 'suppression.created'],
    );
    assert.deepEqual(found[0]?.changes, { channel: 'sms', reason: 'manual', source: 'api' });
    assert.doesNotMatch(JSON.stringify(found), /5551230000/);
  });

  it('audit events are rolled back with their change', async () => {
    await rows(app.deps.db, `ALTER TABLE api_keys ADD CONSTRAINT no_bad CHECK (name <> 'bad')`);
    const { status } = await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'bad' } });
    await rows(app.deps.db, 'ALTER TABLE api_keys DROP CONSTRAINT no_bad');
    assert.deepEqual([status, await types()], [500, []]);
    await rows(app.deps.db, `ALTER TABLE audit_events ADD CONSTRAINT no_bad CHECK (target_name <> 'bad')`);
    const refused = await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'bad' } });
    await rows(app.deps.db, 'ALTER TABLE audit_events DROP CONSTRAINT no_bad');
    const keys = await app.call('GET', '/api/v1/api-keys', { jwt: account.jwt });
    assert.deepEqual([refused.status, keys.body.data.pagination.total], [500, 1]);
  });

  it('pages of audit events have no gaps, by cursor and by number', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name } });
    const names: (string | null)[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const { status, body, headers } = await app.call('GET', `${list}${query}`, { jwt: account.jwt });
      assert.equal(status, 200);
      names.push(...body.data.audit_events.map(({ target }: Event) => target.name));
      const { total, pages, next_cursor } = body.data.pagination;
      assert.deepEqual([total, pages], cursor === '' ? [5, 3] : [null, null]);
      assert.equal(headers.get('link')?.includes('rel="next"') ?? false, next_cursor !== null);
      cursor = next_cursor;
    }
    assert.deepEqual(names, ['e', 'd', 'c', 'b', 'a']);
    const { body } = await app.call('GET', `${list}?limit=2&page=3`, { jwt: account.jwt });
    assert.deepEqual([body.data.audit_events[0].target.name, body.data.pagination.next_cursor], ['a', null]);
  });

  it('audit events can be filtered by type, actor and period', async () => {
    const { body } = await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'x' } });
    await app.call('POST', '/api/v1/suppressions', { key: body.data.key, body: { channel: 'sms', recipient: '+15551230000' } });
    assert.deepEqual(await types('?type=api_key.created'), ['api_key.created']);
    assert.deepEqual(await types('?type=api_key.*,suppression.created'), ['suppression.created', 'api_key.created']);
    assert.deepEqual(await types('?actor=user'), ['api_key.created']);
    assert.deepEqual(await types(`?actor=${body.data.id}`), ['suppression.created']);
    assert.deepEqual(await types('?end_date=2020-01-01'), []);
    assert.deepEqual(await types('?start_date=2020-01-01&end_date=2999-01-01'), ['suppression.created', 'api_key.created']);
  });

  it('filters by time find an audit event at exactly the time at which it is shown', async () => {
    await app.call('POST', '/api/v1/api-keys', { jwt: account.jwt, body: { name: 'x' } });
    await rows(app.deps.db, `UPDATE audit_events SET at = '2026-03-01T12:00:00.123999Z' WHERE workspace_id = $1`, [account.workspaceId]);
    const [event] = await events();
    const at = event?.at;
    assert.equal(at, '2026-03-01T12:00:00.123Z');
    assert.deepEqual(await types(`?start_date=${at}&end_date=${at}`), ['api_key.created']);
    assert.deepEqual(await types('?end_date=2026-03-01T12:00:00.122Z'), []);
    await rows(app.deps.db, `UPDATE audit_events SET at = '2026-03-01T23:59:59.9999Z' WHERE workspace_id = $1`, [account.workspaceId]);
    assert.deepEqual(await types('?end_date=2026-03-01'), ['api_key.created']);
    assert.deepEqual(await types('?start_date=2026-03-02'), []);
  });

  const refused: [string, string][] = [
    ['cursor=x', 'Invalid cursor'],
    ['start_date=soon', 'Invalid date format'],
    ['limit=101', 'Limit must be between 1 and 100'],
    ['actor=me', 'Invalid actor. Must be one of: user, api_key, system, or an id'],
  ];
  for (const [query, text] of refused) {
    it(`400 for a list of audit events with ${query}: ${text}`, async () => {
      const { status, body } = await app.call('GET', `${list}?${query}`, { jwt: account.jwt });
      assert.deepEqual([status, body.error], [400, text]);
    });
  }
  it('400 for a list of audit events with an unknown type', async () => {
    const { status, body } = await app.call('GET', `${list}?type=nothing`, { jwt: account.jwt });
    assert.equal(status, 400);
    assert.match(body.error, /^Invalid type\. Must be one of: auth\.login, /);
  });

  it('a workspace does not see audit events of another', async () => {
    const other = await app.account();
    await app.call('POST', '/api/v1/api-keys', { jwt: other.jwt, body: { name: 'x' } });
    assert.deepEqual(await types(), []);
  });
});
