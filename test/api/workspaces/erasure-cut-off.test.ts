import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { messageOf, statusOf } from '../../support/rows/messages.js';
import { erasuresForEach } from './erasures-stage.js';

/** `created_at` is from the clock of the API, the time of an erasure from that of PostgreSQL. */
describe('what was created before an erasure', () => {
  const stage = erasuresForEach();
  const { send, sms, ask, shownErasure, finishErasures, placesOfRecipient } = stage;
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  it('what was created before an erasure is erased and cancelled, although the clock of its process was four seconds ahead', async () => {
    const { body } = await send({ ...sms(), scheduled_at: inAnHour() });
    await stage.app.call('POST', '/api/v1/contacts', { key: stage.account.key, body: { name: 'Ada', phone: stage.to } });
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: ['+15559999998'], scheduled_at: inAnHour() };
    const headers = { 'Idempotency-Key': `news-for-${stage.to}` };
    await stage.app.call('POST', '/api/v1/messages/bulk', { key: stage.account.key, body: bulk, headers });
    for (const table of ['messages', 'contacts', 'batches']) {
      await select(stage.db, `UPDATE ${table} SET created_at = created_at + interval '4 seconds' WHERE workspace_id = $1`, [
        stage.account.workspaceId,
      ]);
    }
    const id = await ask();
    await finishErasures();
    assert.deepEqual(
      [await shownErasure(id), await placesOfRecipient(), await statusOf(stage.db, body.data.message.id)],
      [['completed', 1], [], 'failed/cancelled'],
    );
  });

  it('a message that is sent after the request of an erasure is kept', async () => {
    const id = await ask();
    const { body } = await send(sms());
    await finishErasures();
    const { to, status } = await messageOf(stage.db, body.data.message.id);
    assert.deepEqual([await shownErasure(id), to, status], [['completed', 0], stage.to, 'queued']);
  });

  it('a message of ten seconds after the request is kept, whatever the clock of an earlier one was', async () => {
    await send(sms());
    await select(stage.db, `UPDATE messages SET created_at = now() + interval '1 hour' WHERE workspace_id = $1`, [
      stage.account.workspaceId,
    ]);
    await ask();
    const { body } = await send(sms());
    await select(stage.db, `UPDATE messages SET created_at = now() + interval '10 seconds' WHERE id = $1`, [body.data.message.id]);
    await finishErasures();
    assert.equal((await messageOf(stage.db, body.data.message.id)).to, stage.to);
  });
});
