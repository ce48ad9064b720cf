import assert from 'node:assert/strict';
import { openPage } from '../../../models/operations/batches/open-page.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';

describe('the events of a message', () => {
  const app = useApi();

  it('events carry the reference and the batch of their message', async () => {
    const { jwt, key, workspaceId } = await app.account();
    const hook = { url: 'https://8.8.8.8/hooks', events: ['message.queued'] };
    assert.equal((await app.call('POST', '/api/v1/webhooks', { jwt, body: hook })).status, 201);
    const recipients = [{ to: '+15551234567', reference: 'one' }, '+15551234568'];
    const body = { channel: 'sms', content: { text: 'Hello' }, recipients };
    const { body: answer } = await app.call('POST', '/api/v1/messages/bulk', { key, body });
    const batchId: string = answer.data.batch.id;
    const send = { to: '+15551234569', channel: 'sms', content: { text: 'Hello' } };
    assert.equal((await app.call('POST', '/api/v1/messages/send', { key, body: send })).status, 201);
    const groups = await rows<{ id: string }>(app.deps.db, `SELECT id FROM message_groups WHERE batch_id = '${batchId}'`);
    for (const { id } of groups) await openPage(app.deps.db, id);
    const stored = await rows<{ body: string }>(app.deps.db, `SELECT body FROM events WHERE workspace_id = '${workspaceId}'`);
    const told = stored.map((event) => JSON.parse(event.body).data as Record<string, unknown>);
    const own = ({ recipient, reference, batch_id }: Record<string, unknown>) => [recipient, reference, batch_id];
    assert.deepEqual(
      told.map(own).toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      [
        ['+15551234567', 'one', batchId],
        ['+15551234568', undefined, batchId],
        ['+15551234569', undefined, undefined],
      ],
    );
  });
});
