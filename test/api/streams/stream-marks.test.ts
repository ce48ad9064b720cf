/**
 * A status whose statement saw the workspace unmarked has no event. A stream that opens meanwhile must wait for its transaction, and one that
 * resumes must be told.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { select } from '../../../models/db/database.js';
import { recordStatuses } from '../../../models/operations/messages/record-statuses.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { untilLockWait } from '../../support/lock-table.js';
import { buildQueued } from '../../support/rows/factories.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';
import { idsIn, received, send, useStreams } from './watch.js';

const setMark = `
  INSERT INTO streamed_workspaces AS s (workspace_id, since, until) VALUES ($1, now() - interval '2 hours', now() + $2 * interval '1 millisecond')
  ON CONFLICT (workspace_id) DO UPDATE SET since = EXCLUDED.since, until = EXCLUDED.until`;
const lockMark = 'SELECT 1 FROM streamed_workspaces WHERE workspace_id = $1 FOR UPDATE';
const lapsed = 'SELECT 1 FROM streamed_workspaces WHERE workspace_id = $1 AND until < clock_timestamp()';

/** Makes the processes of a test renew their streams, as they do after half a minute. @returns a function that resets the clock of timers */
function skipHalfMinute(): () => void {
  const { now } = performance;
  performance.now = () => now.call(performance) + 31_000;
  return () => {
    performance.now = now;
  };
}

describe('a stream that is open while the mark of its workspace lapses', () => {
  const app = useApi();
  const watch = useStreams(app);

  it('a stream gets stream.reset before all further events when the mark of its workspace has lapsed', async () => {
    const account = await app.account();
    const stream = await watch(account);
    await until(() => stream.lastEventId !== '', 'the first id');
    await rows(app.deps.db, setMark, [account.workspaceId, -60_000]);
    await send(app, account);
    const reset = skipHalfMinute();
    await until(() => stream.events.length > 0, 'an event').finally(reset);
    const sent = await send(app, account);
    await received(stream, 2);
    assert.deepEqual(
      stream.events.map(({ type, data }) => [type, data.data.message_id]),
      [
        ['stream.reset', undefined],
        ['message.queued', sent],
      ],
    );
    stream.close();
    const resumed = await watch(account, stream.lastEventId);
    const next = await send(app, account);
    await received(resumed, 1);
    assert.deepEqual(idsIn(resumed), [next], 'its position is good again');
  });
});

describe('a stream that opens when the mark of its workspace has lapsed, or is about to', () => {
  const app = useApi();
  const watch = useStreams(app);
  let account: Account;
  /** Its status changes while the stream opens. */
  let message: { id: string };
  beforeEach(async () => {
    account = await app.account();
    message = await buildQueued(app.deps.db, account.workspaceId); // the open transaction holds the lock of the workspace
  });

  /** Opens a stream and holds its transaction just before it marks the workspace. */
  const openHeld = async (lastEventId?: string) => {
    const { db } = app.deps;
    const hold = await db.transaction();
    await select(db, lockMark, [account.workspaceId], hold);
    const state = { isOpen: false };
    const opening = watch(account, lastEventId).then((stream) => {
      state.isOpen = true;
      return stream;
    });
    await untilLockWait(db, 'the stream waits for the mark');
    return { state, opening, release: () => hold.commit() };
  };

  /** A status that is recorded while the workspace is unmarked, and not committed yet. */
  const recordUnseen = async () => {
    const { db } = app.deps;
    await until(async () => (await rows(db, lapsed, [account.workspaceId])).length === 1, 'the mark has lapsed');
    const transaction = await db.transaction();
    await recordStatuses(db, transaction, { to: 'sent', changes: [{ id: message.id, status_detail: 'awaiting_report', at: new Date() }] });
    await select(db, 'SELECT 1', [], transaction); // after this, its snapshot is no longer shown
    return { commit: () => transaction.commit() };
  };

  for (const [what, untilMs] of [
    ['had lapsed before', -60_000],
    ['lapses while it opens', 700],
  ] as const) {
    it(`a stream opens after the transactions that saw no mark, if the mark ${what}`, async () => {
      const { db } = app.deps;
      await rows(db, setMark, [account.workspaceId, untilMs]);
      const held = await openHeld();
      const unseen = await recordUnseen();
      await held.release();
      await sleep(300); // nothing is to happen
      assert.equal(held.state.isOpen, false);
      await unseen.commit();
      const stream = await held.opening;
      assert.equal(stream.status, 200);
      const { body } = await app.call('GET', `/api/v1/messages/${message.id}`, { key: account.key });
      assert.equal(body.data.message.status, 'sent', 'what no event contained is read after the stream was opened');
      const next = await send(app, account);
      await received(stream, 1);
      assert.deepEqual(idsIn(stream), [next]);
    });
  }

  it('a stream that opens without a mark waits longer than a few seconds for a transaction that writes', async () => {
    await rows(app.deps.db, setMark, [account.workspaceId, -60_000]);
    const held = await openHeld();
    const unseen = await recordUnseen();
    await held.release();
    await sleep(4_000); // nothing is to happen
    assert.equal(held.state.isOpen, false);
    await unseen.commit();
    assert.equal((await held.opening).status, 200);
  });

  it('a stream begins with stream.reset if the mark lapses while it opens', async () => {
    const { db } = app.deps;
    const first = await watch(account);
    await until(() => first.lastEventId !== '', 'the first id');
    first.close();
    await rows(db, setMark, [account.workspaceId, 700]);
    const held = await openHeld(first.lastEventId);
    await (await recordUnseen()).commit();
    await held.release();
    const stream = await held.opening;
    await received(stream, 1);
    assert.deepEqual(
      stream.events.map(({ type }) => type),
      ['stream.reset'],
    );
  });

  it('a stream begins with stream.reset if the mark would have ended soon after', async () => {
    const first = await watch(account);
    await until(() => first.lastEventId !== '', 'the first id');
    first.close();
    await rows(app.deps.db, setMark, [account.workspaceId, 30_000]);
    const stream = await watch(account, first.lastEventId);
    await received(stream, 1);
    assert.equal(stream.events[0]?.type, 'stream.reset');
  });

  it('a stream resumes without stream.reset if the mark lasts', async () => {
    const { db } = app.deps;
    const first = await watch(account);
    await until(() => first.lastEventId !== '', 'the first id');
    first.close();
    const sent = await send(app, account);
    await rows(db, setMark, [account.workspaceId, 120_000]);
    const stream = await watch(account, first.lastEventId);
    await received(stream, 1);
    assert.deepEqual(idsIn(stream), [sent]);
  });
});
