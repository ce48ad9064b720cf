import assert from 'node:assert/strict';
import { SlotShares } from '../../../activities/handoff/slot-shares.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { buildQueuedGroup, statusOf } from '../../support/rows/messages.js';
import { slowAndFast } from './slow-and-fast.js';

describe('an account whose connections are all used', () => {
  const { test, accountsOf, page } = slowAndFast();
  const connectionsMax = 10;
  const openCalls = async () => (await rows(test.db, 'SELECT 1 FROM send_attempts WHERE outcome IS NULL')).length;
  const full = (limits = {}) => {
    const shares = new SlotShares({ max: 8 });
    const accounts = accountsOf(shares, { connectionsMax }, limits);
    const isWaiting = (groups: number) =>
      until(() => shares.of('slow').holders({ calling: true }).size === groups, 'the groups call or wait');
    return { ...accounts, isWaiting };
  };

  it('a page waits for a free connection before it claims further messages', async () => {
    const { slow, run, isWaiting, answerFirst, answerAll } = full();
    const running = [run(...(await page('email', 25)))];
    await until(() => slow.calls.length === 25, 'the first page makes its calls');
    const [next, batchId] = await page('email', 25);
    running.push(run(next, batchId));
    await isWaiting(2);
    answerFirst(15);
    await until(async () => (await openCalls()) === 10, 'ten calls are left, one for each connection');
    assert.equal(slow.calls.length, 25);
    answerFirst();
    await until(() => slow.calls.length === 50, 'the calls of the second page are ready for the next free connections');
    answerAll();
    assert.deepEqual(
      (await Promise.all(running)).map(({ queued }) => queued),
      [0, 0],
    );
  });

  for (const limits of [{}, { slow: 1_000 }])
    it(`pages that begin at the same time at an account with ${'slow' in limits ? 'a' : 'no'} limit enter one after the other`, async () => {
      const { slow, run, isWaiting, answerAll } = full(limits);
      const pages = await Promise.all(Array.from({ length: 4 }, () => page('email', 25)));
      const running = Promise.all(pages.map((ids) => run(...ids)));
      for (const calls of [25, 50, 75, 100]) {
        await until(() => slow.calls.length >= calls, 'the next page makes its calls');
        await isWaiting(4 - calls / 25 + 1);
        assert.equal(slow.calls.length, calls);
        answerAll();
      }
      assert.ok((await running).every(({ queued }) => queued === 0));
    });

  it('a group hands off its SMS while its e-mails wait for a connection', async () => {
    const { slow, fast, queued, run, isWaiting, answerAll } = full();
    const running = [run((await queued('email', 10)).groupId)];
    await until(() => slow.calls.length === 10, 'each connection has a call');
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{ channel: 'email' }, { channel: 'sms' }]);
    running.push(run(groupId));
    await until(() => fast.calls.length === 1, 'the SMS is handed off');
    await isWaiting(2);
    assert.equal(slow.calls.length, 10);
    assert.equal(await statusOf(test.db, ids[0] ?? ''), 'queued/accepted');
    answerAll();
    await until(() => slow.calls.length === 11, 'the e-mail has a connection');
    answerAll();
    assert.deepEqual(
      (await Promise.all(running)).map(({ queued: left }) => left),
      [0, 0],
    );
  });

  it('a worker that stops leaves the messages that wait for a connection queued', async () => {
    const { slow, queued, run, isWaiting, stop, answerAll } = full();
    const running = run((await queued('email', 10)).groupId);
    await until(() => slow.calls.length === 10, 'each connection has a call');
    const { groupId, ids } = await queued('email');
    const waiting = run(groupId);
    await isWaiting(2);
    stop();
    const { more, queued: left } = await waiting;
    assert.deepEqual([more, left, await statusOf(test.db, ids[0] ?? '')], [true, 1, 'queued/accepted']);
    answerAll();
    await running;
  });

  it('a message that expires while it waits for a connection fails at that time', async () => {
    const { slow, queued, run, answerAll } = full();
    const running = run((await queued('email', 10)).groupId);
    await until(() => slow.calls.length === 10, 'each connection has a call');
    const expiring = { channel: 'email', expires_at: new Date(Date.now() + 1_000) } as const;
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [expiring]);
    await run(groupId).catch(() => undefined);
    assert.deepEqual([slow.calls.length, await statusOf(test.db, ids[0] ?? '')], [10, 'failed/expired']);
    answerAll();
    await running;
  });

  it('a page that finds nothing to claim keeps no connection', async () => {
    const { slow, queued, run, isWaiting, answerFirst, answerAll } = full();
    const running = [run((await queued('email', 10)).groupId)];
    await until(() => slow.calls.length === 10, 'each connection has a call');
    const [paused, batchId] = await page('email', 25);
    running.push(run(paused, batchId));
    await isWaiting(2);
    running.push(run((await queued('email', 1)).groupId));
    await isWaiting(3);
    await rows(test.db, `UPDATE batches SET status = 'paused' WHERE id = $1`, [batchId]);
    answerFirst();
    await until(() => slow.calls.length === 11, 'the connection is for the next group');
    answerAll();
    await Promise.all(running);
  });
});
