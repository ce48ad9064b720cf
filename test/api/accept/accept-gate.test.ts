import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { deadlineExceeded } from './use-acceptance.js';
import { useAcceptGate } from './use-accept-gate.js';
import { prices } from '../../support/prices.js';
import { toCredits } from '../../../models/rules/billing/credits.js';

describe('the accept gate', () => {
  const { gate, start, send, untilAsked, untilArrived, sendTogether, sizes } = useAcceptGate();

  it('the accept gate accepts the first send alone and the ones that arrive meanwhile in one workflow', async () => {
    await start();
    const [one, two] = [await gate.app.account(), await gate.app.account()];
    const answers = await sendTogether(
      [one, one, two, one, two].map(
        ({ key }) =>
          () =>
            send(key),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201, 201, 201],
    );
    assert.deepEqual(sizes(), [1, 4]);
    const [single, group] = gate.asked;
    assert.equal(single?.workflowId, `msg:${answers[0]?.body.data.message.id}`);
    assert.equal(group?.workflowId, `grp:${group?.groupId}`);
    const stored = await rows(gate.app.deps.db, 'SELECT id, workspace_id FROM messages WHERE group_id = $1 ORDER BY id', [group?.groupId]);
    assert.deepEqual(
      stored.map(({ id }) => id),
      group?.messages.map(({ messageId }) => messageId).toSorted(),
    );
    assert.deepEqual(new Set(stored.map(({ workspace_id }) => workspace_id)), new Set([one.workspaceId, two.workspaceId]));
  });

  it('the age of a message begins when it is stored, not when it comes to the gate', async () => {
    await start();
    const { db } = gate.app.deps;
    const { key } = await gate.app.account();
    const answers = [send(key)];
    await untilAsked();
    answers.push(send(key));
    await untilArrived(2);
    const [{ at } = { at: new Date() }] = await rows<{ at: Date }>(db, 'SELECT clock_timestamp() AS at');
    gate.open();
    await Promise.all(answers);
    const stored = await rows<{ created_at: Date }>(db, 'SELECT created_at FROM messages ORDER BY created_at');
    assert.deepEqual(
      stored.map(({ created_at }) => created_at >= at),
      [false, true],
    );
  });

  it('402 for the workspaces without credits and 201 for the others of a group', async () => {
    await start();
    const [rich, poor] = [await gate.app.account(), await gate.app.account({ balance: 2 * prices.sms })];
    const answers = await sendTogether(
      [rich, poor, poor, poor, rich].map(
        ({ key }) =>
          () =>
            send(key),
      ),
    );
    const [refused, ...none] = answers.filter(({ status }) => status === 402);
    assert.deepEqual([none.length, answers.filter(({ status }) => status === 201).length], [0, 4]);
    assert.equal(refused?.body.error, `Insufficient credits. You need ${toCredits(prices.sms)} credits but have 0.`);
    const [{ messages } = {}] = await rows(gate.app.deps.db, 'SELECT count(*) AS messages FROM messages');
    assert.equal(messages, 4);
  });

  it('the accept gate creates one message for two equal requests in one group', async () => {
    await start();
    const { key } = await gate.app.account();
    const twin = () => send(key, {}, { 'Idempotency-Key': 'twin' });
    const answers = await sendTogether([() => send(key), twin, twin, twin]);
    const ids = answers.slice(1).map((answer) => answer.body.data.message.id);
    assert.equal(new Set(ids).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 2);
  });

  it('500 for every message of a group without an answer, and nothing is charged', async () => {
    await start();
    const { key } = await gate.app.account();
    const { accept } = gate.app.deps.temporal;
    gate.app.deps.temporal.accept = async (request) => {
      await accept({ ...request, groupId: request.messages.length > 1 ? '00000000-0000-7000-8000-000000000000' : request.groupId });
      if (request.messages.length > 1) throw deadlineExceeded();
      return { accepted: request.messages.map(({ messageId }) => messageId) };
    };
    const answers = await sendTogether([1, 2, 3].map(() => () => send(key)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 500, 500],
    );
    const [left] = await rows(
      gate.app.deps.db,
      'SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM message_groups) AS groups',
    );
    assert.deepEqual(left, { messages: 1, groups: 1 });
  });

  it('500 for the send whose value the database refuses, and 201 for the others of its group', async () => {
    await start();
    const [one, other] = [await gate.app.account(), await gate.app.account()];
    await rows(gate.app.deps.db, `ALTER TABLE messages ADD CONSTRAINT refuses CHECK (reference IS DISTINCT FROM 'refused') NOT VALID`);
    const sends = [() => send(one.key), () => send(one.key), () => send(other.key, { reference: 'refused' }), () => send(one.key)];
    const answers = await sendTogether(sends);
    await rows(gate.app.deps.db, 'ALTER TABLE messages DROP CONSTRAINT refuses');
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 500, 201],
    );
    const owners = await rows(gate.app.deps.db, 'SELECT DISTINCT workspace_id FROM messages WHERE workspace_id IN ($1, $2)', [
      one.workspaceId,
      other.workspaceId,
    ]);
    assert.deepEqual(owners, [{ workspace_id: one.workspaceId }]);
  });

  it('the accept gate puts the sends of a workspace with many webhooks into groups of their own', async () => {
    await start({ SHARED_GROUP_WEBHOOKS: '1' });
    const [crowded, other] = [await gate.app.account(), await gate.app.account()];
    for (const url of ['https://93.184.216.34/a', 'https://93.184.216.34/b']) {
      const webhook = { url, events: ['message.sent'] };
      assert.equal((await gate.app.call('POST', '/api/v1/webhooks', { jwt: crowded.jwt, body: webhook })).status, 201);
    }
    const answers = await sendTogether(
      [other, crowded, other, crowded, crowded, other].map(
        ({ key }) =>
          () =>
            send(key),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    const owners = gate.asked.map(({ messages }) => [...new Set(messages.map(({ workspaceId }) => workspaceId))]);
    assert.ok(
      owners.every(({ length }) => length === 1),
      'nobody shares a group with it',
    );
    assert.deepEqual(
      sizes().toSorted((one, other) => one - other),
      [1, 1, 2, 2],
    );
  });

  it('the accept gate puts scheduled messages and other channels into groups of their own', async () => {
    await start();
    const { key } = await gate.app.account();
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    await sendTogether([() => send(key), () => send(key, { scheduled_at }), () => send(key, { channel: 'whatsapp' }), () => send(key)]);
    assert.deepEqual(sizes(), [1, 1, 1, 1]);
  });
});
