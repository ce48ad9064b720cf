import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReadTurns } from '../../../api/http/resource-limits.js';
import type { ConcurrencyLimit } from '../../../models/flow/concurrency-limit.js';

const connections = 8;
/** A read of this length rests for two seconds: long enough for the steps of a test, also on a busy machine. */
const longReadMs = 300;

describe('turns of costly reads', () => {
  const turnsBeside = (isRecent: boolean) => createReadTurns(connections, { isRecent });
  /** Two long reads of one workspace take both of its places, and end. */
  const readTwice = (turns: ConcurrencyLimit) => Promise.all([1, 2].map(() => turns(() => sleep(longReadMs), 'one')));
  /** Whether a read of this workspace begins without a wait. */
  const beginsAtOnce = async (turns: ConcurrencyLimit, workspaceId: string) => {
    let hasBegun = false;
    void turns(async () => void (hasBegun = true), workspaceId);
    await new Promise((resolve) => setImmediate(resolve));
    return hasBegun;
  };

  it('while messages are sent, only a workspace with long costly reads waits for its turn', async () => {
    const turns = turnsBeside(true);
    await readTwice(turns);
    assert.deepEqual([await beginsAtOnce(turns, 'one'), await beginsAtOnce(turns, 'another')], [false, true]);
  });

  it('costly reads keep nobody waiting while nothing is sent', async () => {
    const turns = turnsBeside(false);
    await readTwice(turns);
    assert.equal(await beginsAtOnce(turns, 'one'), true);
  });
});
