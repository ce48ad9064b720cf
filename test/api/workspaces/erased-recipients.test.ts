import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { select } from '../../../models/db/database.js';
import { fallBack } from '../../../models/operations/messages/fall-back.js';
import { unsubscribeToken } from '../../../models/rules/contacts/unsubscribe.js';
import { workflowIds } from '../../../workflows/contract.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { buildSent, messageOf, reportOf, statusOf } from '../../support/rows/messages.js';
import { recordReports } from '../../support/rows/reports.js';
import { erasuresForEach } from './erasures-stage.js';

describe('an erased recipient', () => {
  const stage = erasuresForEach();
  const {
    send,
    sms,
    ask,
    finishErasures,
    runErasuresAgain,
    placesOfRecipient,
    reportEnd,
    replyAsRecipient,
    suppressions,
    claimNewMessage,
    handOff,
  } = stage;

  it('a suppressed recipient stays suppressed after the erasure', async () => {
    await reportEnd(await buildSent(stage.db, stage.account.workspaceId, { to: stage.to }));
    await replyAsRecipient('STOP');
    await ask();
    await finishErasures();
    assert.deepEqual(await placesOfRecipient(), []);
    const [entry] = await suppressions();
    assert.deepEqual([entry.recipient, entry.reason, entry.source], [null, 'opt_out', 'inbound']);
    assert.equal(await claimNewMessage(), 'failed/suppressed');
    const preview = await stage.app.call('POST', '/api/v1/messages/preview', { key: stage.account.key, body: sms() });
    assert.match(preview.body.data.warnings?.[0]?.message, /is suppressed on sms/);
    assert.equal((await stage.app.call('DELETE', `/api/v1/suppressions/${entry.id}`, { key: stage.account.key })).status, 409);
    await replyAsRecipient('START');
    assert.deepEqual(await suppressions(), []);
    assert.equal(await claimNewMessage(), 'queued/sending');
  });

  it('an erased recipient can still send STOP and use the link in a mail', async () => {
    await reportEnd(await buildSent(stage.db, stage.account.workspaceId, { to: stage.to }));
    const address = `Ada.${stage.to.slice(1)}@Example.com`;
    const mail = await buildSent(stage.db, stage.account.workspaceId, {
      to: address,
      channel: 'email',
      content: { text: 'x', unsubscribe: true },
    });
    await reportEnd(mail);
    for (const each of [stage.to, address.toLowerCase()]) await ask(each);
    await finishErasures();
    assert.deepEqual([await placesOfRecipient(), await placesOfRecipient(address)], [[], []], 'letter case does not matter in addresses');
    await replyAsRecipient('STOP');
    const token = unsubscribeToken(stage.app.deps.config.secretKey, mail.id);
    assert.equal((await stage.app.call('POST', `/unsubscribe/${token}`)).status, 200);
    assert.deepEqual(
      (await suppressions()).map(({ source, recipient }: { source: string; recipient: null }) => [source, recipient]),
      [
        ['unsubscribe', null],
        ['inbound', null],
      ],
    );
    assert.equal(await claimNewMessage(), 'failed/suppressed');
  });

  it('an erased recipient keeps an opt-out and one entry of the workspace, and stays refused', async () => {
    await reportEnd(await buildSent(stage.db, stage.account.workspaceId, { to: stage.to }));
    await replyAsRecipient('STOP');
    await ask();
    await finishErasures();
    for (let time = 1; time <= 2; time += 1) {
      await stage.app.call('POST', '/api/v1/suppressions', { key: stage.account.key, body: { channel: 'sms', recipient: stage.to } });
      assert.equal(await claimNewMessage(), 'failed/suppressed');
      await ask();
      await finishErasures();
      assert.deepEqual(
        [(await suppressions()).map(({ source }: { source: string }) => source), await placesOfRecipient()],
        [['api', 'inbound'], []],
      );
    }
  });

  it('an erasure removes the recipient from all steps of a fallback chain', async () => {
    const address = `chain.${stage.to.slice(1)}@example.com`;
    const { body } = await send({ ...sms(), fallback: [{ channel: 'email', to: address, after: 60 }] });
    const { id } = body.data.message;
    await handOff(id);
    await reportEnd(await messageOf(stage.db, id));
    await ask();
    await finishErasures();
    assert.notDeepEqual(await placesOfRecipient(), [], 'the chain is not decided');
    await fallBack(stage.db, id, true, workflowIds.message);
    await runErasuresAgain();
    assert.deepEqual([await placesOfRecipient(), await placesOfRecipient(address)], [[], []]);
    const { fallback } = (await stage.app.call('GET', `/api/v1/messages/${id}`, { key: stage.account.key })).body.data.message;
    assert.deepEqual(fallback.steps, [{ channel: 'email', to: null, after: 60 }]);
  });

  it('an erasure ends a chain before a step to the recipient: nothing more is sent, and nothing is left', async () => {
    const address = `later.${stage.to.slice(1)}@example.com`;
    const { body } = await send({ ...sms(), fallback: [{ channel: 'email', to: address, after: 60 }] });
    const { id } = body.data.message;
    await handOff(id);
    const erasure = await ask(address);
    await finishErasures();
    assert.deepEqual([await stage.shownErasure(erasure), await placesOfRecipient(address)], [['completed', 0], []]);
    assert.equal((await fallBack(stage.db, id, true, workflowIds.message)).next, null);
  });

  it('an erasure keeps the steps of a chain before the one to the recipient', async () => {
    const address = `last.${stage.to.slice(1)}@example.com`;
    const other = `+1555${stage.to.slice(-7).replace(/^./, '9')}`;
    const fallback = [
      { channel: 'whatsapp', to: other, after: 60 },
      { channel: 'email', to: address, after: 60 },
    ];
    const { id } = (await send({ ...sms(), fallback })).body.data.message;
    await handOff(id);
    await ask(address.toUpperCase());
    await finishErasures();
    assert.deepEqual(await placesOfRecipient(address), []);
    const { next } = await fallBack(stage.db, id, true, workflowIds.message);
    assert.deepEqual([next?.channel, next?.fallbackAfterMs], ['whatsapp', null]);
    assert.equal((await messageOf(stage.db, next?.groupId ?? '')).to, other);
  });

  it('422 for a repeated send whose first message was erased', async () => {
    const headers = { 'Idempotency-Key': `key-${stage.to}` };
    const { body } = await send(sms(), headers);
    await ask();
    await finishErasures();
    assert.deepEqual(await placesOfRecipient(), []);
    assert.equal((await send(sms(), headers)).status, 422);
    assert.equal(await statusOf(stage.db, body.data.message.id), 'failed/cancelled');
  });

  it('a report that comes after the erasure stores nothing of the recipient', async () => {
    const message = await buildSent(stage.db, stage.account.workspaceId, { to: stage.to });
    await reportEnd(message, 'failed');
    await buildWebhook(stage.account.workspaceId, 'https://one.example.test/');
    await ask();
    await finishErasures();
    await reportEnd(message);
    assert.deepEqual([await statusOf(stage.db, message.id), await placesOfRecipient()], ['delivered/delivered', []]);
    const [event] = await select<{ body: string }>(stage.db, 'SELECT body FROM events WHERE message_id = $1', [message.id]);
    assert.equal(JSON.parse(event?.body ?? '').data.recipient, '');
  });

  it('an erasure empties the idempotency key and the faults of batches, and the key stays taken', async () => {
    const headers = { 'Idempotency-Key': `news-for-${stage.to}` };
    const bulk = { channel: 'sms', content: { text: 'x' }, recipients: ['+15559999998', '5'], on_invalid: 'skip' };
    const post = () => stage.app.call('POST', '/api/v1/messages/bulk', { key: stage.account.key, body: bulk, headers });
    const { id } = (await post()).body.data.batch;
    const other = { index: 1, field: 'recipients[1]', message: `not ${stage.to}0` };
    const faults = [{ index: 0, field: 'recipients[0]', message: `twice ${stage.to}` }, other];
    await select(stage.db, 'UPDATE batches SET errors = $2::json WHERE id = $1', [id, JSON.stringify(faults)]);
    await ask();
    await finishErasures();
    const left = await placesOfRecipient();
    assert.deepEqual(left, ['batches.errors: 1'], 'the longer number');
    const { batch } = (await stage.app.call('GET', `/api/v1/messages/bulk/${id}`, { key: stage.account.key })).body.data;
    assert.deepEqual(batch.errors, [{ index: 0, field: 'to', message: 'Erased' }, other]);
    assert.equal((await post()).status, 422);
    await select(stage.db, `UPDATE batches SET errors = '[]' WHERE id = $1`, [id]);
  });

  it('an erasure keeps reports with longer numbers, dates and codes', async () => {
    const raws = [`{"to":"${stage.to}0","at":"2026-12-12T12:12:12+12:00","code":12}`, `To=%2B1${stage.to.slice(1)}&Code=12`];
    for (const raw of raws) {
      const stranger = { id: uuidv7(), provider_message_id: uuidv7() };
      await recordReports(stage.db, [{ ...reportOf(stranger, 'delivered'), message_id: null, raw }]);
    }
    for (const each of [stage.to, '+12']) await ask(each);
    await finishErasures();
    const kept = await select<{ raw: string }>(stage.db, `SELECT raw FROM delivery_reports WHERE raw = ANY($1) ORDER BY id`, [raws]);
    assert.deepEqual(
      kept.map(({ raw }) => raw),
      raws,
    );
    await select(stage.db, 'DELETE FROM delivery_reports WHERE raw = ANY($1)', [raws]);
  });

  it('an erasure removes the recipient from reports about unknown messages', async () => {
    await recordReports(stage.db, [
      { ...reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered'), message_id: null, raw: `To=%2B${stage.to.slice(1)}` },
    ]);
    await ask();
    await finishErasures();
    assert.deepEqual(await placesOfRecipient(), []);
  });
});
