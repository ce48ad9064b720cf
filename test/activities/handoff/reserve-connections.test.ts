import assert from 'node:assert/strict';
import { ConnectionsOfThread } from '../../../activities/handoff/account-connections.js';
import { reserveConnections, type ConnectionRequest } from '../../../activities/handoff/reserve-connections.js';
import type { GroupSlot } from '../../../activities/handoff/group-slot.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import { until } from '../../support/client.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildQueuedGroup, noWaits as waits, routedTo } from '../../support/rows/messages.js';

describe('the connections for a round', () => {
  const test = workspaceForEach({ balance: 1_000_000 });
  const names = ['texts', 'mails'];

  /** The connections of a thread, and a group that reserves them, with two messages of each channel. Each account has one connection. */
  const twoAccounts = async () => {
    const connections = new ConnectionsOfThread(new Map(names.map((name) => [name, stubProvider(undefined, { name, connectionsMax: 1 })])));
    const messages = (['sms', 'sms', 'email', 'email'] as const).map((channel) => ({ channel }));
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, messages);
    let isWaiting = false;
    const waitAt: GroupSlot['waitAt'] = (account, wait) => {
      isWaiting = true;
      return wait(connections.of(account));
    };
    const slot = { groupId, waitAt } as unknown as GroupSlot;
    const request: ConnectionRequest = {
      choices: routedTo({ sms: 'texts', email: 'mails' }),
      channel: null,
      size: 25,
      except: [],
      waitsForAll: false,
      ms: 60_000,
      signal: new AbortController().signal,
    };
    return {
      reserve: (overrides: Partial<ConnectionRequest> = {}) =>
        reserveConnections({ db: test.db, waits, connections }, slot, { ...request, ...overrides }),
      untilWaiting: () => until(() => isWaiting, 'the round waits'),
      beginCall: (name: string) => connections.of(name).beginCall(),
      open: () => names.filter((name) => connections.of(name).hasFree),
    };
  };

  it('a round keeps the connections of its accounts from others until it releases them', async () => {
    const { reserve, open } = await twoAccounts();
    const reserved = await reserve();
    assert.deepEqual([reserved?.without, open()], [[], []]);
    reserved?.release();
    assert.deepEqual(open(), names);
  });

  it('a page keeps only the connections of its own account from others', async () => {
    const { reserve, open } = await twoAccounts();
    await reserve({ channel: 'email' });
    assert.deepEqual(open(), ['texts']);
  });

  it('a round leaves out a channel whose account is full, unless it waits for all', async () => {
    const { reserve, untilWaiting, beginCall, open } = await twoAccounts();
    const endCall = beginCall('mails');
    const reserved = await reserve();
    assert.deepEqual([reserved?.without, open()], [['email'], []]);
    reserved?.release();
    const waiting = reserve({ waitsForAll: true });
    await untilWaiting();
    endCall();
    assert.deepEqual([(await waiting)?.without, open()], [[], ['texts']]);
  });

  it('a round that waits for one account leaves out the channel of another one that is full', async () => {
    const { reserve, untilWaiting, beginCall } = await twoAccounts();
    const ends = names.map(beginCall);
    const waiting = reserve();
    await untilWaiting();
    ends.forEach((end) => end());
    assert.equal((await waiting)?.without.length, 1);
  });
});
