import assert from 'node:assert/strict';
import { select } from '../../../models/db/database.js';
import { fallBack } from '../../../models/operations/messages/fall-back.js';
import { workflowIds } from '../../../workflows/contract.js';
import { messageOf } from '../../support/rows/messages.js';
import { erasuresForEach } from './erasures-stage.js';

/** Everything else of the request stays in the database, so that its SHA-256 would show by trials who was erased. */
describe('the digest of a request with an erased recipient', () => {
  const stage = erasuresForEach();
  const { send, sms, ask, finishErasures, runErasuresAgain, handOff, reportEnd } = stage;

  const digestOf = async (table: 'batches' | 'messages', id: string) => {
    const [row] = await select<{ hex: string }>(stage.db, `SELECT encode(request_digest, 'hex') AS hex FROM ${table} WHERE id = $1`, [id]);
    return row?.hex;
  };
  const other = () => stage.to.replace('+1555', '+1666');

  it('the digest of a batch is keyed by an erasure, and a repeat of the request still gets its first response', async () => {
    const bulk = { channel: 'sms', content: { text: 'News' }, recipients: [stage.to, other()] };
    const post = (body: object) =>
      stage.app.call('POST', '/api/v1/messages/bulk', { key: stage.account.key, body, headers: { 'Idempotency-Key': 'news' } });
    const first = await post(bulk);
    const { id } = first.body.data.batch;
    const plain = await digestOf('batches', id);
    for (const recipient of [stage.to, other()]) {
      await ask(recipient);
      await finishErasures();
      assert.notEqual(await digestOf('batches', id), plain);
      const again = await post(bulk);
      assert.deepEqual([again.status, again.headers.get('Idempotent-Replayed'), again.body.data.batch.id], [201, 'true', id]);
      assert.equal((await post({ ...bulk, content: { text: 'Other news' } })).status, 422);
    }
  });

  it('the digest of a batch without a message to the recipient is keyed by an erasure', async () => {
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: [other(), stage.to, stage.to], on_invalid: 'skip' };
    const headers = { 'Idempotency-Key': 'twice' };
    const { body } = await stage.app.call('POST', '/api/v1/messages/bulk', { key: stage.account.key, body: bulk, headers });
    const plain = await digestOf('batches', body.data.batch.id);
    await select(stage.db, 'UPDATE messages SET "to" = $2 WHERE batch_id = $1', [body.data.batch.id, other()]);
    await ask();
    await finishErasures();
    assert.notEqual(await digestOf('batches', body.data.batch.id), plain);
  });

  for (const isDecided of [false, true])
    it(`the digest of a message whose ${isDecided ? 'decided' : 'open'} chain has a step to the recipient is keyed by an erasure`, async () => {
      const chain = { ...sms(), to: other(), metadata: {}, reference: 'x', fallback: [{ channel: 'whatsapp', to: stage.to, after: 60 }] };
      const post = () => send(chain, { 'Idempotency-Key': `chain-${isDecided}` });
      const { id } = (await post()).body.data.message;
      const plain = await digestOf('messages', id);
      await handOff(id);
      await reportEnd(await messageOf(stage.db, id));
      if (isDecided) await fallBack(stage.db, id, true, workflowIds.message);
      await ask();
      await finishErasures();
      await runErasuresAgain();
      assert.notEqual(await digestOf('messages', id), plain);
      const again = await post();
      assert.deepEqual([again.status, again.headers.get('Idempotent-Replayed'), again.body.data.message.id], [201, 'true', id]);
    });
});
