/** Hand-offs of one worker with two accounts, one of which answers when a test says so. */
import { AccountHealthMonitor } from '../../../activities/handoff/account-health.js';
import { ConnectionsOfThread } from '../../../activities/handoff/account-connections.js';
import { dispatch } from '../../../activities/handoff/dispatch.js';
import type { Provider, SendOutcome } from '../../../activities/handoff/providers/provider.js';
import type { SlotShares } from '../../../activities/handoff/slot-shares.js';
import { Throughput } from '../../../activities/handoff/throughput.js';
import { type Channel, forEachChannel } from '../../../models/channels.js';
import { openPage } from '../../../models/operations/batches/open-page.js';
import { silentLogger as logger, stubProvider } from '../../support/carriers/stub-provider.js';
import { testConfig } from '../../support/config.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { buildQueuedGroup } from '../../support/rows/messages.js';
import { inActivity } from '../../support/temporal/in-activity.js';

type Test = ReturnType<typeof workspaceForEach>;

/** Called in a `describe`. */
export function slowAndFast() {
  const test = workspaceForEach({ balance: 1_000_000 });
  return {
    test,
    accountsOf: (shares: SlotShares, overrides?: Partial<Provider>, limits?: Record<string, number>) =>
      accountsOf(test, shares, overrides, limits),
    page: (channel: Channel, count?: number) => page(test, channel, count),
  };
}

/** Two accounts: that of e-mails, `slow`, answers when `answerAll` is called. The other one, `fast`, answers at once. */
const accountsOf = (test: Test, shares: SlotShares, overrides: Partial<Provider> = {}, limits: Record<string, number> = {}) => {
  const { db } = test;
  const answers: (() => void)[] = [];
  const slow = stubProvider(
    ({ id }) =>
      new Promise<SendOutcome>((resolve) => answers.push(() => resolve({ outcome: 'accepted', provider_message_id: `slow-${id}` }))),
    { name: 'slow', ...overrides },
  );
  const fast = stubProvider(undefined, { name: 'fast' });
  const routeTo = (account: string) => [{ account, weight: 1 }];
  const providers = {
    accounts: new Map([slow, fast].map((provider) => [provider.name, provider])),
    routes: { ...forEachChannel(() => routeTo('fast')), email: routeTo('slow') },
  };
  const { secretKeys, routeWindowSeconds } = testConfig();
  const waits = { leaseSeconds: 0, unknownSeconds: 120, repeatable: [] };
  const throughput = new Throughput(db, limits, waits);
  const health = new AccountHealthMonitor({ db, logger, windowSeconds: routeWindowSeconds }, providers);
  const slots = { singles: shares, pages: shares };
  const connections = new ConnectionsOfThread(providers.accounts);
  const deps = { db, logger, providers, throughput, slots, connections, health, waits, secretKeys, verifiedOnly: false };
  const worker = new AbortController();
  return {
    slow,
    fast,
    stop: () => worker.abort(),
    queued: (channel: Channel, count = 1) =>
      buildQueuedGroup(
        db,
        test.workspaceId,
        Array.from({ length: count }, () => ({ channel })),
      ),
    run: (groupId: string, batchId?: string, fairnessKey = 'a workspace') =>
      inActivity(() => dispatch(deps, { groupId, batchId, signal: worker.signal }), [], { priority: { fairnessKey } }),
    answerFirst: (count = 1) => answers.splice(0, count).forEach((answer) => answer()),
    answerAll: () => answers.splice(0).forEach((answer) => answer()),
  };
};

/** The ids of a page of due messages, and of its batch. */
const page = async (test: Test, channel: Channel, count = 1) => {
  const { id, pages } = await buildAcceptedBatch(test.db, test.workspaceId, [count], { channel });
  const [{ groupId } = { groupId: '' }] = pages;
  await openPage(test.db, groupId);
  return [groupId, id] as const;
};
