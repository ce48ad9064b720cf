import assert from 'node:assert/strict';
import { AccountHealthMonitor } from '../../../activities/handoff/account-health.js';
import { dispatch } from '../../../activities/handoff/dispatch.js';
import type { SendOutcome } from '../../../activities/handoff/providers/provider.js';
import { SlotShares } from '../../../activities/handoff/slot-shares.js';
import { Throughput } from '../../../activities/handoff/throughput.js';
import { until } from '../../support/client.js';
import { silentLogger as logger, stubProvider } from '../../support/carriers/stub-provider.js';
import { testConfig } from '../../support/config.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildQueuedGroup, statusOf } from '../../support/rows/messages.js';
import { failureOf, inActivity } from '../../support/temporal/in-activity.js';

describe('the share of an account in the slots of a worker', () => {
  const test = workspaceForEach({ balance: 1_000_000 });

  it('a group gives its slot back while slow calls use up the share of its account, and other accounts are called', async () => {
    const { db, workspaceId } = test;
    let answer: (outcome: SendOutcome) => void = () => undefined;
    const slow = stubProvider(() => new Promise((resolve) => (answer = resolve)), { name: 'slow' });
    const fast = stubProvider(undefined, { name: 'fast' });
    const routeTo = (account: string) => [{ account, weight: 1 }];
    const providers = {
      accounts: new Map([slow, fast].map((provider) => [provider.name, provider])),
      routes: { sms: routeTo('fast'), whatsapp: routeTo('fast'), email: routeTo('slow') },
    };
    const { secretKeys, providerLimits, routeWindowSeconds } = testConfig();
    const waits = { leaseSeconds: 0, unknownSeconds: 120, repeatable: [] };
    const throughput = new Throughput(db, providerLimits, waits);
    const health = new AccountHealthMonitor({ db, logger, windowSeconds: routeWindowSeconds }, providers);
    const slots = new SlotShares({ max: 1, slowMs: 0 });
    const deps = { db, logger, providers, throughput, slots, health, waits, secretKeys, verifiedOnly: false };
    const { signal } = new AbortController();
    const run = (groupId: string) => inActivity(() => dispatch(deps, { groupId, batchId: undefined, signal }), []);
    const [first, second, other] = [
      await buildQueuedGroup(db, workspaceId, [{ channel: 'email' }]),
      await buildQueuedGroup(db, workspaceId, [{ channel: 'email' }]),
      await buildQueuedGroup(db, workspaceId, [{ channel: 'sms' }]),
    ];
    const running = run(first.groupId);
    await until(() => slow.calls.length === 1, 'the slow call runs');
    const { type, nextRetryDelay } = await failureOf(run(second.groupId));
    assert.deepEqual([type, nextRetryDelay], ['NotHandedOff', undefined], 'the wait grows as for a carrier that is unavailable');
    assert.equal(await statusOf(db, second.ids[0] ?? ''), 'queued/accepted');
    await run(other.groupId);
    assert.deepEqual([slow.calls.length, fast.calls.length], [1, 1]);
    answer({ outcome: 'accepted', provider_message_id: 'p-1' });
    await running;
    const last = run(second.groupId);
    await until(() => slow.calls.length === 2, 'a slot of the share is free again');
    answer({ outcome: 'accepted', provider_message_id: 'p-2' });
    assert.equal((await last).queued, 0);
  });
});
