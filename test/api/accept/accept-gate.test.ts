import assert from 'node:assert/strict';
import { createAcceptGate } from '../../../api/accept/accept-gate.js';
import type { AcceptRequest } from '../../../api/outside/temporal.js';
import { rows } from '../../support/database.js';
import { assertBooks } from '../../../harness/checks/invariants.js';
import { type Answer, startApp, type TestApp } from '../start-app.js';

const body = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('the accept gate', () => {
  let app: TestApp;
  /** What Temporal was asked; nothing is answered before `open` is called. */
  let asked: AcceptRequest[];
  let open: () => void;
  const send = (key: string, changes: object = {}, headers: Record<string, string> = {}) =>
    app.call('POST', '/api/v1/messages/send', { key, body: { ...body, ...changes }, headers });
  const start = async (env: NodeJS.ProcessEnv = {}) => {
    app = await startApp({ ACCEPT_LANES: '1', ...env });
    asked = [];
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { accept } = app.deps.temporal;
    app.deps.temporal.accept = async (request) => {
      asked.push(request);
      await opened;
      return accept(request);
    };
  };
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  /** Sends the first, which holds the only lane, then the others, whose requests have been read when this resolves. */
  const sendTogether = async (sends: (() => Promise<Answer>)[]) => {
    const [first, ...others] = sends;
    const answers = [first?.()];
    await until(() => asked.length === 1);
    for (const other of others) answers.push(other());
    // One more request that needs the database and does not go through the gate comes after all of them.
    await new Promise((resolve) => setTimeout(resolve, 150));
    open();
    return Promise.all(answers as Promise<Answer>[]);
  };
  const sizes = () => asked.map(({ messages }) => messages.length);
  afterEach(async () => {
    await assertBooks(app.deps.db);
    await app.close();
  });

  it('accepts the first send alone and the ones that arrive meanwhile in one workflow', async () => {
    await start();
    const [one, two] = [await app.account(), await app.account()];
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
    const [single, group] = asked;
    assert.equal(single?.workflowId, `msg:${answers[0]?.body.data.message.id}`);
    assert.equal(group?.workflowId, `grp:${group?.groupId}`);
    const stored = await rows(app.deps.db, 'SELECT id, workspace_id FROM messages WHERE group_id = $1 ORDER BY id', [group?.groupId]);
    assert.deepEqual(
      stored.map(({ id }) => id),
      group?.messages.map(({ messageId }) => messageId).toSorted(),
    );
    assert.deepEqual(new Set(stored.map(({ workspace_id }) => workspace_id)), new Set([one.workspaceId, two.workspaceId]));
  });
  it('402 for the workspaces without credits and 201 for the others of a group', async () => {
    await start();
    const [rich, poor] = [await app.account(), await app.account({ balance: 2_000 })];
    const answers = await sendTogether(
      [rich, poor, poor, poor, rich].map(
        ({ key }) =>
          () =>
            send(key),
      ),
    );
    const [refused, ...none] = answers.filter(({ status }) => status === 402);
    assert.deepEqual([none.length, answers.filter(({ status }) => status === 201).length], [0, 4]);
    assert.equal(refused?.body.error, 'Insufficient credits. You need 1 credits but have 0.');
    const [{ messages } = {}] = await rows(app.deps.db, 'SELECT count(*) AS messages FROM messages');
    assert.equal(messages, 4);
  });
  it('creates one message for two equal requests in one group', async () => {
    await start();
    const { key } = await app.account();
    const twin = () => send(key, {}, { 'Idempotency-Key': 'twin' });
    const answers = await sendTogether([() => send(key), twin, twin, twin]);
    const ids = answers.slice(1).map((answer) => answer.body.data.message.id);
    assert.equal(new Set(ids).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 2);
  });
  it('500 for every message of a group without an answer, and nothing is charged', async () => {
    await start();
    const { key } = await app.account();
    const { accept } = app.deps.temporal;
    app.deps.temporal.accept = async (request) => {
      await accept({ ...request, groupId: request.messages.length > 1 ? '00000000-0000-7000-8000-000000000000' : request.groupId });
      if (request.messages.length > 1) throw new Error('4 DEADLINE_EXCEEDED');
      return { accepted: request.messages.map(({ messageId }) => messageId) };
    };
    const answers = await sendTogether([1, 2, 3].map(() => () => send(key)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 500, 500],
    );
    const [left] = await rows(
      app.deps.db,
      'SELECT (SELECT count(*) FROM messages) AS messages, (SELECT count(*) FROM message_groups) AS groups',
    );
    assert.deepEqual(left, { messages: 1, groups: 1 });
  });
  it('groups the sends of a workspace with many webhooks by themselves', async () => {
    await start({ SHARED_GROUP_WEBHOOKS: '1' });
    const [crowded, other] = [await app.account(), await app.account()];
    for (const url of ['https://93.184.216.34/a', 'https://93.184.216.34/b']) {
      const webhook = { url, events: ['message.sent'] };
      assert.equal((await app.call('POST', '/api/v1/webhooks', { jwt: crowded.jwt, body: webhook })).status, 201);
    }
    const answers = await sendTogether(
      [other, crowded, other, crowded, crowded, other].map(
        ({ key }) =>
          () =>
            send(key),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    const owners = asked.map(({ messages }) => [...new Set(messages.map(({ workspaceId }) => workspaceId))]);
    assert.ok(
      owners.every(({ length }) => length === 1),
      'nobody shares a group with it',
    );
    assert.deepEqual(
      sizes().toSorted((one, other) => one - other),
      [1, 1, 2, 2],
    );
  });
  it('groups scheduled messages and other channels by themselves', async () => {
    await start();
    const { key } = await app.account();
    const scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
    await sendTogether([() => send(key), () => send(key, { scheduled_at }), () => send(key, { channel: 'whatsapp' }), () => send(key)]);
    assert.deepEqual(sizes(), [1, 1, 1, 1]);
  });
  it('503 with Retry-After for a send that waited too long, and nothing is charged', async () => {
    await start();
    app.deps.acceptGate = createAcceptGate(app.deps, 100);
    const { key } = await app.account();
    const first = send(key);
    await until(() => asked.length === 1);
    const second = send(key);
    await new Promise((resolve) => setTimeout(resolve, 300));
    open();
    const { status, body: refused, headers } = await second;
    assert.deepEqual([status, refused.code, headers.get('retry-after')], [503, 'unavailable', '1']);
    assert.equal((await first).status, 201);
    const [{ messages } = {}] = await rows(app.deps.db, 'SELECT count(*) AS messages FROM messages');
    assert.equal(messages, 1);
  });
  it('503 at once for a key with too many sends, and 201 for another key', async () => {
    await start({ ACCEPT_GROUP_MAX: '2' });
    const [flood, other] = [await app.account(), await app.account()];
    // Two a round, which is taken for 750 ms at least, are 3.2 in good time.
    const refused: Answer[] = [];
    const answers = Array.from({ length: 12 }, async () => {
      const answer = await send(flood.key);
      if (answer.status === 503) refused.push(answer);
      return answer.status;
    });
    await until(() => refused.length >= 6);
    const polite = send(other.key);
    await until(() => asked.length === 1);
    open();
    assert.equal((await polite).status, 201);
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([201, 503]));
    assert.deepEqual([refused[0]?.headers.get('retry-after'), refused[0]?.headers.has('x-ratelimit-remaining')], ['1', true]);
    const [{ messages } = {}] = await rows(app.deps.db, 'SELECT count(*) AS messages FROM messages');
    assert.equal(messages, 12 - refused.length + 1);
  });
  it('201 for 100 sends at once, also right after the start', async () => {
    await start();
    const { key } = await app.account();
    const answers = Array.from({ length: 100 }, () => send(key));
    await until(() => asked.length === 1);
    open();
    assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([201]));
  });
  it('201 or 503 for 100 sends at once with ACCEPT_GROUP_MAX=1, never 500', async () => {
    await start({ ACCEPT_GROUP_MAX: '1' });
    const { key } = await app.account();
    let refused = 0;
    const answers = Array.from({ length: 100 }, async () => {
      const { status } = await send(key);
      if (status === 503) refused += 1;
      return status;
    });
    await until(() => refused >= 60 && asked.length >= 10);
    assert.equal(asked.length, 10, 'more only wait inside the servers');
    open();
    assert.deepEqual(new Set(await Promise.all(answers)), new Set([201, 503]));
    assert.deepEqual(new Set(sizes()), new Set([1]));
    assert.equal(asked.length, 100 - refused);
  });
  it('accepts ten ungrouped sends at a time, and the others wait', async () => {
    await start();
    const { key } = await app.account();
    const answers = Array.from({ length: 20 }, () => send(key, { fallback: [{ channel: 'whatsapp', after: 60 }] }));
    await until(() => asked.length >= 10);
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.equal(asked.length, 10);
    open();
    assert.deepEqual(new Set((await Promise.all(answers)).map(({ status }) => status)), new Set([201]));
    assert.equal(asked.length, 20);
  });
});
