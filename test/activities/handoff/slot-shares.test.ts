import assert from 'node:assert/strict';
import { SlotShares } from '../../../activities/handoff/slot-shares.js';
import { inTransaction, select } from '../../../models/db/database.js';
import { until } from '../../support/client.js';
import { untilLockWait } from '../../support/lock-table.js';
import { statusOf } from '../../support/rows/messages.js';
import { failureOf } from '../../support/temporal/in-activity.js';
import { slowAndFast } from './slow-and-fast.js';

describe('the share of an account in the slots of a worker', () => {
  const { test, accountsOf, page } = slowAndFast();

  it('a group gives its slot back while slow calls use up the share of its account, and other accounts are called', async () => {
    const { slow, fast, queued, run, answerAll } = accountsOf(new SlotShares({ max: 1, slowMs: 0 }));
    const [first, second, other] = [await queued('email'), await queued('email'), await queued('sms')];
    const running = run(first.groupId);
    await until(() => slow.calls.length === 1, 'the slow call runs');
    const { type, nextRetryDelay } = await failureOf(run(second.groupId));
    assert.deepEqual([type, nextRetryDelay], ['NotHandedOff', undefined], 'the wait grows as for a carrier that is unavailable');
    assert.equal(await statusOf(test.db, second.ids[0] ?? ''), 'queued/accepted');
    await run(other.groupId);
    assert.deepEqual([slow.calls.length, fast.calls.length], [1, 1]);
    answerAll();
    await running;
    const last = run(second.groupId);
    await until(() => slow.calls.length === 2, 'a slot of the share is free again');
    answerAll();
    assert.equal((await last).queued, 0);
  });

  it('a group with several slow rounds uses one slot of the share of its account', async () => {
    const { slow, queued, run, answerAll } = accountsOf(new SlotShares({ max: 2, slowMs: 0 }));
    const [large, second] = [await queued('email', 26), await queued('email')];
    const running = run(large.groupId);
    await until(() => slow.calls.length === 26, 'two rounds run');
    const last = run(second.groupId);
    last.catch(() => undefined);
    await Promise.race([last, until(() => slow.calls.length === 27, 'the second group is called')]);
    answerAll();
    assert.deepEqual([(await running).queued, (await last).queued], [0, 0]);
  });

  it('an account has its share again while answers wait to be stored', async () => {
    const slots = new SlotShares({ max: 1, slowMs: 0 });
    const isFull = () => slots.of('slow').isFullFor('another workspace');
    const { slow, queued, run, answerAll } = accountsOf(slots);
    const { groupId, ids } = await queued('email');
    const running = run(groupId);
    await until(() => slow.calls.length === 1, 'the slow call runs');
    const [before, after] = await inTransaction(test.db, async (transaction) => {
      await select(test.db, 'SELECT 1 AS one FROM messages WHERE id = $1 FOR UPDATE', ids, transaction);
      const isFullBefore = isFull();
      answerAll();
      await untilLockWait(test.db, 'the answer waits for the message');
      return [isFullBefore, isFull()];
    });
    await running;
    assert.deepEqual([before, after], [true, false]);
  });

  it('a page gives its slot back while a page of another batch makes slow calls to its account', async () => {
    const shares = new SlotShares({ max: 1, slowMs: 0 });
    const { slow, fast, run, answerAll } = accountsOf(shares);
    const [first, second, other] = [await page('email'), await page('email'), await page('sms')];
    const running = run(...first);
    await until(() => slow.calls.length === 1, 'the slow call runs');
    const [yielded] = await Promise.all([run(...second), run(...other)]);
    assert.deepEqual([yielded.queued, yielded.more, (yielded.retryInMs ?? 0) >= 4_000], [1, false, true]);
    assert.deepEqual([slow.calls.length, fast.calls.length, shares.slowSlots], [1, 1, 1]);
    answerAll();
    await running;
    const last = run(...second);
    await until(() => slow.calls.length === 2, 'the slot of the account is free again');
    answerAll();
    assert.deepEqual([(await last).queued, shares.slowSlots], [0, 0]);
  });

  it('pages that begin at the same time get no more slots than the share of their slow account', async () => {
    const { slow, run, answerAll } = accountsOf(new SlotShares({ max: 2, slowMs: 0 }));
    const first = run(...(await page('email')));
    await until(() => slow.calls.length === 1, 'the slow call runs');
    answerAll();
    await first;
    const pages = await Promise.all(Array.from({ length: 4 }, () => page('email')));
    let waiting = 0;
    const running = pages.map(async (ids) => {
      if (((await run(...ids)).retryInMs ?? 0) > 0) waiting += 1;
    });
    await until(() => slow.calls.length + waiting === 5, 'each page is called or waits');
    answerAll();
    await Promise.all(running);
    assert.deepEqual([slow.calls.length, waiting], [3, 2]);
  });

  it('a page gives its slot back while a workspace with fewer slots of the slow account waits', async () => {
    const { slow, run, answerFirst, answerAll } = accountsOf(new SlotShares({ max: 2, slowMs: 0 }));
    const [one, two, three, ofOther] = [await page('email'), await page('email'), await page('email'), await page('email')];
    const isWaiting = async (...args: Parameters<typeof run>) => ((await run(...args)).retryInMs ?? 0) > 0;
    const running = run(...one);
    await until(() => slow.calls.length === 1, 'the first page is called');
    const next = run(...two);
    await until(() => slow.calls.length === 2, 'the workspace has both slots');
    assert.ok(await isWaiting(...ofOther, 'another workspace'));
    answerFirst();
    await running;
    assert.ok(await isWaiting(...three), 'the free slot is for the other workspace');
    const other = run(...ofOther, 'another workspace');
    await until(() => slow.calls.length === 3, 'the other workspace is called');
    answerAll();
    await Promise.all([next, other]);
    const last = run(...three);
    await until(() => slow.calls.length === 4, 'nobody else waits');
    answerAll();
    assert.equal((await last).queued, 0);
  });
});
