import assert from 'node:assert/strict';
import { Message } from '../../../models/tables/message.js';
import { toPeople } from '../../support/bulk-requests.js';
import { shiftClock } from '../../support/shift-clock.js';
import { useApi } from '../use-api.js';

const path = '/api/v1/messages/bulk';
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

describe('the expiry of a bulk send', () => {
  const app = useApi();
  let key: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ key, workspaceId } = await app.account());
  });
  const post = (changes: object, headers: Record<string, string> = {}) =>
    app.call('POST', path, { key, body: { ...toPeople, ...changes }, headers });

  it('201 for a bulk send with expires_at, which each message of the batch has', async () => {
    const expires_at = inHours(1);
    const { status, headers, body } = await post({ expires_at });
    assert.deepEqual([status, headers.get('ignored-fields')], [201, null]);
    const { messages } = (await app.call('GET', `/api/v1/messages?batch_id=${body.data.batch.id}`, { key })).body.data;
    assert.deepEqual(
      messages.map((message: { expires_at: string }) => message.expires_at),
      toPeople.recipients.map(() => expires_at),
    );
  });
  it('400 for a bulk send and its preview with a wrong expires_at, in the texts of a single send', async () => {
    const wrong = [
      [{ expires_at: inHours(-1) }, 'expires_at must be in the future'],
      [{ scheduled_at: inHours(2), expires_at: inHours(1) }, 'expires_at must be after scheduled_at'],
      [{ expires_at: 'tomorrow' }, 'Invalid date format'],
    ] as const;
    for (const [changes, error] of wrong) {
      for (const answer of [
        await post(changes),
        await app.call('POST', '/api/v1/messages/preview', { key, body: { ...toPeople, ...changes } }),
      ]) {
        assert.deepEqual([answer.status, answer.body.error, answer.body.details[0].field], [400, error, 'expires_at']);
      }
    }
    assert.equal(await Message.count({ where: { workspace_id: workspaceId } }), 0);
  });
  it('201 with the first answer for a bulk send that is repeated after its expiry', async () => {
    const expires_at = inHours(-1);
    const headers = { 'Idempotency-Key': 'k' };
    const setRight = shiftClock(-2 * 3_600_000);
    const first = await post({ expires_at }, headers).finally(setRight);
    const second = await post({ expires_at }, headers);
    assert.deepEqual([first.status, second.status, second.body.data], [201, 201, first.body.data]);
    assert.equal((await post({ expires_at })).status, 400, 'it expired');
  });
});
