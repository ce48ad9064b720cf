import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { type Account, type Answer, whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';
import { prices } from '../../support/prices.js';

const atOnce = <Result>(count: number, ask: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
const counts = (answers: Answer[]) => [201, 200, 409].map((status) => answers.filter((answer) => answer.status === status).length);

function assertRefused(answers: Answer[], text: string): void {
  for (const { body } of answers.filter(({ status }) => status === 409)) {
    assert.deepEqual([body.error, body.code, body.message], [text, 'limit_reached', text]);
  }
}

describe('quotas of a workspace', () => {
  const app = useApi({
    env: { MAX_API_KEYS: '7', MAX_WEBHOOKS: '3', MAX_REPLAYS: '2', MAX_OPEN_BATCHES: '4' },
    checksBooks: true,
  });
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });

  it('exactly the allowed API keys of 30 at once are created, and a revoked one makes room', async () => {
    const { jwt } = account; // has one key
    const create = () => app.call('POST', '/api/v1/api-keys', { jwt, body: { name: 'k' } });
    const answers = await atOnce(30, create);
    assert.deepEqual(counts(answers), [6, 0, 24]);
    assertRefused(answers, 'A workspace can have at most 7 API keys');
    const made = answers.find(({ status }) => status === 201);
    await app.call('DELETE', `/api/v1/api-keys/${made?.body.data.id}`, { jwt });
    assert.deepEqual(counts(await atOnce(3, create)), [1, 0, 2]);
    assert.equal((await app.call('POST', '/api/v1/api-keys', { jwt: (await app.account()).jwt, body: { name: 'k' } })).status, 201);
  });

  it('exactly the allowed webhooks of 20 at once are created, and a deleted one makes room', async () => {
    const { jwt } = account;
    const create = () => app.call('POST', '/api/v1/webhooks', { jwt, body: { url: 'https://93.184.216.34/', events: ['message.sent'] } });
    const answers = await atOnce(20, create);
    assert.deepEqual(counts(answers), [3, 0, 17]);
    assertRefused(answers, 'A workspace can have at most 3 webhooks');
    const made = answers.find(({ status }) => status === 201);
    await app.call('DELETE', `/api/v1/webhooks/${made?.body.data.webhook.id}`, { jwt });
    assert.equal((await create()).status, 201);
  });

  it('400 for a webhook to a private address beyond the quota, too, with all other faults', async () => {
    const { jwt } = account;
    const create = (body: object) => app.call('POST', '/api/v1/webhooks', { jwt, body });
    await atOnce(3, () => create({ url: 'https://93.184.216.34/', events: ['message.sent'] }));
    const { status, body } = await create({ url: 'https://10.0.0.1/', events: [] });
    assert.deepEqual(
      [status, body.error, body.details.map(({ field }: { field: string }) => field)],
      [400, 'Webhook URL must not point to a private address', ['url', 'events']],
    );
    assert.equal((await create({ url: 'https://10.0.0.1/', events: ['message.sent'] })).status, 400);
    const toPrivate = async () => [{ address: '10.0.0.1', family: 4 }];
    const ask = () => create({ url: 'https://private.example/', events: ['message.sent'] });
    const named = await whileReplaced(app.deps, 'resolve', toPrivate, ask);
    assert.deepEqual([named.status, named.body.error], [400, 'Webhook URL must not point to a private address']);
  });

  it('a workspace can have two replays over all webhooks, and empty replays do not count', async () => {
    const { jwt, key } = account;
    const hooks = await atOnce(3, async () => {
      const body = { url: 'https://93.184.216.34/', events: ['message.queued'] };
      return (await app.call('POST', '/api/v1/webhooks', { jwt, body })).body.data.webhook.id as string;
    });
    const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
    assert.equal((await app.call('POST', '/api/v1/messages/send', { key, body: sms })).status, 201);
    const replay = (id: string, status: string) =>
      app.call('POST', `/api/v1/webhooks/${id}/replay`, { jwt, body: { since: '2026-01-01T00:00:00Z', status } });
    const empty = await atOnce(3, () => replay(hooks[0] as string, 'succeeded'));
    assert.deepEqual(
      empty.map(({ body }) => body.data.replay.status),
      Array(3).fill('completed'),
    );
    const answers = await atOnce(12, (index) => replay(hooks[index % 3] as string, 'pending'));
    assert.deepEqual(counts(answers), [0, 2, 10]);
    assertRefused(answers, 'A workspace can have at most 2 replays under way');
    assertRefused([await replay(hooks[0] as string, 'succeeded')], 'A workspace can have at most 2 replays under way');
  });

  it('exactly the allowed batches of 10 at once are accepted, and nothing is charged for the others', async () => {
    const { key, workspaceId } = account;
    const send = (index: number) =>
      app.call('POST', '/api/v1/messages/bulk', {
        key,
        body: { channel: 'sms', content: { text: 'Hi' }, recipients: [`+1555123456${index}`] },
      });
    const answers = await atOnce(10, send);
    assert.deepEqual(counts(answers), [4, 0, 6]);
    assertRefused(answers, 'A workspace can have at most 4 open batches');
    const [left] = await rows(
      app.deps.db,
      `SELECT count(*) AS messages, (SELECT balance FROM workspaces WHERE id = $1) AS balance FROM messages WHERE workspace_id = $1`,
      [workspaceId],
    );
    assert.deepEqual(left, { messages: 4, balance: 100_000 - 4 * prices.sms });
    const batch = answers.find(({ status }) => status === 201)?.body.data.batch;
    await app.call('POST', `/api/v1/messages/bulk/${batch.id}/cancel`, { key });
    assert.equal((await send(0)).status, 201);
  });
});
