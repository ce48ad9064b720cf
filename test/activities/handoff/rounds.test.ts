import assert from 'node:assert/strict';
import { AccountHealthMonitor } from '../../../activities/handoff/account-health.js';
import { routeOfRound } from '../../../activities/handoff/routing.js';
import { ConnectionsOfThread } from '../../../activities/handoff/account-connections.js';
import { unreserved } from '../../../activities/handoff/reserve-connections.js';
import { Rounds } from '../../../activities/handoff/rounds.js';
import { GroupSlot } from '../../../activities/handoff/group-slot.js';
import { slotSharesOfThread } from '../../../activities/handoff/slot-shares.js';
import { Throughput } from '../../../activities/handoff/throughput.js';
import { everywhere, silentLogger as logger, stubProvider } from '../../support/carriers/stub-provider.js';
import { testConfig } from '../../support/config.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildQueuedGroup } from '../../support/rows/messages.js';
import { inActivity } from '../../support/temporal/in-activity.js';

describe('rounds of a dispatch', () => {
  const test = workspaceForEach({ balance: 1_000_000 });

  const dispatchOf = async (groupId: string, answer: Parameters<typeof stubProvider>[0]) => {
    const { db } = test;
    const { secretKeys, providerLimits, routeWindowSeconds } = testConfig();
    const providers = everywhere(stubProvider(answer));
    const waits = { leaseSeconds: 0, unknownSeconds: 120, repeatable: [] };
    const deps = {
      db,
      logger,
      providers,
      throughput: new Throughput(db, providerLimits, waits),
      slots: slotSharesOfThread(),
      connections: new ConnectionsOfThread(providers.accounts),
      health: new AccountHealthMonitor({ db, logger, windowSeconds: routeWindowSeconds }, providers),
      waits,
      secretKeys,
      verifiedOnly: false,
    };
    const slot = await inActivity(async () => new GroupSlot(deps, { groupId, batchId: undefined }), []);
    const rounds = new Rounds(deps, slot);
    const route = await routeOfRound(deps, groupId, { round: 0, mayProbe: false });
    return { rounds, next: (reserved = unreserved) => rounds.next(route, { limit: 2, reserved, isPaced: false }) };
  };

  /** The answers of rounds of two messages, until one says that there are no more. */
  const roundsOf = async (...args: Parameters<typeof dispatchOf>) => {
    const { next } = await dispatchOf(...args);
    const answers: boolean[] = [];
    while (answers.at(-1) !== false) answers.push(await next());
    return answers;
  };

  it('the round that takes the last messages is the last one', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}, {}]);
    assert.deepEqual(await roundsOf(groupId, ({ id }) => ({ outcome: 'accepted', provider_message_id: `p-${id}` })), [true, false]);
  });

  it('another round follows when a message of the last round was throttled', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
    const answers = await roundsOf(groupId, ({ id }, call) =>
      call === 1 ? { outcome: 'throttled', detail: '429' } : { outcome: 'accepted', provider_message_id: `p-${id}` },
    );
    assert.deepEqual(answers, [true, false]);
  });

  it('a round that leaves out the channels of all messages claims none, and the next one waits for their accounts', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const { rounds, next } = await dispatchOf(groupId, ({ id }) => ({ outcome: 'accepted', provider_message_id: `p-${id}` }));
    assert.deepEqual([await next({ ...unreserved, without: ['sms'] }), rounds.waitsForAll], [true, true]);
    assert.deepEqual([await next(), rounds.waitsForAll, rounds.endedCount], [false, false, 1]);
  });
});
