import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { until } from '../../support/client.js';
import { parsePosition, formatPosition } from '../../../models/rules/streams/position.js';
import { buildWebhook } from '../../support/rows/factories.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { idsIn, path, received, send, useStreams } from './watch.js';

describe('GET /api/v1/stream', () => {
  const app = useApi({ env: { MAX_STREAMS: '3' } });
  const watch = useStreams(app);
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });

  it('200 for a stream with the bytes that a webhook gets, from the moment of the answer', async () => {
    await buildWebhook(account.workspaceId, 'https://93.184.216.34/', { events: ['message.queued'] });
    const stream = await watch(account);
    const id = await send(app, account, { order: 7 });
    await received(stream, 1);
    assert.equal(stream.status, 200);
    assert.equal(stream.headers['content-type'], 'text/event-stream; charset=utf-8');
    assert.equal(stream.headers['cache-control'], 'no-store');
    assert.equal(stream.headers['x-accel-buffering'], 'no');
    assert.match(stream.headers['x-ratelimit-remaining'] as string, /^\d+$/);
    assert.ok((stream.retryMs ?? 0) > 0);
    const [event] = stream.events;
    assert.equal(event?.type, 'message.queued');
    const stored = await rows<{ body: string }>(app.deps.db, 'SELECT body FROM events WHERE message_id = $1', [id]);
    assert.deepEqual(
      [event?.text],
      stored.map(({ body }) => body),
    );
    assert.deepEqual(event?.data.data.metadata, { order: 7 });
  });

  it('the stream takes a JWT', async () => {
    const stream = await watch({ key: '' }, undefined, { Authorization: `Bearer ${account.jwt}` });
    await send(app, account);
    await received(stream, 1);
  });

  it('a stream shows the events of its own workspace only', async () => {
    const other = await app.account();
    const [mine, theirs] = [await watch(account), await watch(other)];
    const sent = await Promise.all(Array.from({ length: 20 }, (_, index) => send(app, index % 2 === 0 ? account : other)));
    await received(mine, 10);
    await received(theirs, 10);
    assert.deepEqual(new Set(idsIn(mine)), new Set(sent.filter((_, index) => index % 2 === 0)));
    assert.deepEqual(new Set(idsIn(theirs)), new Set(sent.filter((_, index) => index % 2 === 1)));
  });

  it('no event is written for a workspace that nobody watches, and the timeline shows none for a stream', async () => {
    const before = await send(app, account);
    await watch(account);
    const after = await send(app, account);
    const written = await rows<{ message_id: string }>(app.deps.db, 'SELECT message_id FROM events WHERE workspace_id = $1', [
      account.workspaceId,
    ]);
    assert.deepEqual(written, [{ message_id: after }]);
    const typesOf = async (id: string) =>
      (await app.call('GET', `/api/v1/messages/${id}/timeline`, { key: account.key })).body.data.timeline.steps.map(
        ({ type }: { type: string }) => type,
      );
    assert.deepEqual(await typesOf(after), await typesOf(before));
  });

  it('a stream resumes behind the last event, by header or by query', async () => {
    const first = await watch(account);
    const sent = [await send(app, account), await send(app, account)];
    await received(first, 2);
    first.close();
    for (let index = 0; index < 5; index += 1) sent.push(await send(app, account));
    const [one, two] = first.events;
    const second = await watch(account, one?.id);
    await received(second, 6);
    assert.deepEqual(idsIn(second), sent.slice(1));
    const answer = await fetch(`${app.url}${path}?last_event_id=${two?.id}`, { headers: { 'X-API-Key': account.key } });
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.split('\nevent: ').length > 5) break;
    }
    assert.deepEqual(
      [...text.matchAll(/"message_id":"([^"]+)"/g)].map(([, id]) => id),
      sent.slice(2),
    );
  });

  it('a stream that received nothing resumes where it was opened', async () => {
    const first = await watch(account);
    await until(() => first.lastEventId !== '', 'the first id');
    first.close();
    const sent = [await send(app, account), await send(app, account)];
    const second = await watch(account, first.lastEventId);
    await received(second, 2);
    assert.deepEqual(idsIn(second), sent);
  });

  it('a stream begins with stream.reset where events may be missing', async () => {
    const first = await watch(account);
    await send(app, account);
    await received(first, 1);
    first.close();
    const position = parsePosition(first.lastEventId);
    assert.ok(position !== null);
    const tooOld = formatPosition({ ...position, at: new Date(position.at.getTime() - 3_600_001) });
    for (const [id, owner] of [
      [tooOld, account],
      [first.lastEventId, await app.account()],
    ] as const) {
      const stream = await watch(owner, id);
      const sent = await send(app, owner);
      await received(stream, 2);
      assert.deepEqual(
        stream.events.map(({ type }) => type),
        ['stream.reset', 'message.queued'],
      );
      assert.equal(stream.events[1]?.data.data.message_id, sent);
      stream.close();
    }
  });

  it('400 for a Last-Event-ID that is none', async () => {
    for (const id of ['x', '1.0-0', '1.5-1-9', '1.5-4-2-1', '1.5-1.5-1', '9'.repeat(9_000), `1.${'z'.repeat(14)}-0`]) {
      const answer = await app.call('GET', path, { key: account.key, headers: { 'Last-Event-ID': id } });
      assert.deepEqual([answer.status, answer.body.error], [400, 'Invalid Last-Event-ID'], id);
    }
    const answer = await app.call('GET', `${path}?last_event_id=x`, { key: account.key });
    assert.deepEqual([answer.status, answer.body.details], [400, [{ field: 'last_event_id', message: 'Invalid last_event_id' }]]);
  });

  it('409 for streams beyond the quota, exactly, and a closed one makes room', async () => {
    const streams = await Promise.all(Array.from({ length: 10 }, () => watch(account)));
    assert.deepEqual(
      streams.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 200, 200, ...Array(7).fill(409)],
    );
    const refused = await app.call('GET', path, { key: account.key });
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.error],
      [409, 'limit_reached', 'A workspace can have at most 3 open streams'],
    );
    assert.equal((await watch(await app.account())).status, 200);
    streams.find(({ status }) => status === 200)?.close();
    await until(async () => (await watch(account)).status === 200, 'room for a stream');
  });

  it('HEAD opens no stream', async () => {
    for (let index = 0; index < 5; index += 1) {
      assert.equal((await app.call('HEAD', path, { key: account.key })).status, 200);
      await until(
        async () => (await rows(app.deps.db, 'SELECT 1 FROM open_streams WHERE workspace_id = $1', [account.workspaceId])).length === 0,
        'no stream',
      );
    }
  });
});
