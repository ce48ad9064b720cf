import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Message } from '../../models/tables/message.js';
import { Workspace } from '../../models/tables/workspace.js';
import { type Account, type RestClient, restClient } from '../support/client.js';
import { rows } from '../support/database.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { type Service, startService } from '../support/service.js';
import { prices } from '../support/prices.js';

describe('sends at the same time', () => {
  let service: Service;
  let client: RestClient;
  before(async () => {
    service = await startService({ isHere: true });
    client = restClient(service.url);
  });
  afterEach(() => assertBooks(service.db));
  after(() => service.stop());

  const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
  const balanceOf = async ({ workspaceId }: Account) => (await Workspace.findByPk(workspaceId))?.balance ?? 0;
  const storedOf = ({ workspaceId }: Account) => Message.count({ where: { workspace_id: workspaceId } });

  /** Sends long texts until the credits are those for so many short ones. */
  const spendAllBut = async (account: Account, count: number) => {
    // Each 160 characters have the price of a short text, and a text has at most 1,600.
    for (let left = (await balanceOf(account)) / prices.sms - count; left > 0; left -= 10)
      await client.send(account, { content: { text: 'x'.repeat(160 * Math.min(left, 10)) } });
    assert.equal(await balanceOf(account), count * prices.sms);
  };

  it('20 sends with one idempotency key create one message, one debit and one answer', async () => {
    const account = await client.signUp();
    const headers = { 'X-API-Key': account.apiKey, 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.call('POST', '/api/v1/messages/send', { body, headers })));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null).length, 1);
    assert.equal(await balanceOf(account), 100_000 - prices.sms);
    const other = await client.call('POST', '/api/v1/messages/send', { body: { ...body, to: '+15551234568' }, headers });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch']);
  });

  it('60 sends of two workspaces share workflows, and each message has its own result', async () => {
    const accounts = await Promise.all([client.signUp(), client.signUp()]);
    const ends: Record<string, string> = {
      '+15551234567': 'delivered ',
      '+15005550001': 'failed 30008',
      '+15005550003': 'delivered ',
      '+15005550005': 'delivered ',
      '+15005550006': 'failed 30006',
    };
    const sends = Array.from({ length: 60 }, (_, index) => {
      const to = Object.keys(ends)[index % 5] ?? '';
      const account = accounts[index % 2] as (typeof accounts)[0];
      return client.send(account, { to }).then((message) => ({ account, id: message.id as string, to }));
    });
    const sent = await Promise.all(sends);
    for (const { account, id, to } of sent) {
      const { status, error_code } = await client.messageUntil(account, id, (message) => ['delivered', 'failed'].includes(message.status));
      assert.equal(`${status} ${error_code ?? ''}`, ends[to], to);
    }
    const shared = await rows<{ workflow_id: string; workspaces: number }>(
      service.db,
      `SELECT g.workflow_id, count(DISTINCT m.workspace_id) AS workspaces FROM messages m JOIN message_groups g ON g.id = m.group_id
       WHERE m.id = ANY($1::uuid[]) GROUP BY g.id HAVING count(*) > 1`,
      [sent.map(({ id }) => id)],
    );
    assert.ok(shared.some(({ workspaces }) => workspaces === 2) && shared.every(({ workflow_id }) => workflow_id.startsWith('grp:')));
  });

  it('100 sends with credits for 25 give 25 messages and 75 answers with 402', async () => {
    const account = await client.signUp();
    await spendAllBut(account, 25);
    const before = await storedOf(account);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => client.call('POST', '/api/v1/messages/send', { body, headers: { 'X-API-Key': account.apiKey } })),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(201), count(402)], [25, 75]);
    assert.match(
      answers.find(({ status }) => status === 402)?.body.error,
      /^Insufficient credits\. You need 1 credits but have \d+(\.\d+)?\.$/,
    );
    assert.deepEqual([await balanceOf(account), await storedOf(account)], [0, before + 25]);
  });
});
