import assert from 'node:assert/strict';
import { CallRooms } from '../../../activities/handoff/call-room.js';
import { enterRooms, type RoomRequest } from '../../../activities/handoff/enter-rooms.js';
import type { GroupSlot } from '../../../activities/handoff/group-slot.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import { until } from '../../support/client.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildQueuedGroup, noWaits as waits, routedTo } from '../../support/rows/messages.js';

describe('the room of a round', () => {
  const test = workspaceForEach({ balance: 1_000_000 });
  const names = ['texts', 'mails'];

  /** The rooms of a thread, and what enters them with two messages of each channel. Each account has one connection. */
  const twoAccounts = async () => {
    const rooms = new CallRooms(new Map(names.map((name) => [name, stubProvider(undefined, { name, connectionsMax: 1 })])));
    const messages = (['sms', 'sms', 'email', 'email'] as const).map((channel) => ({ channel }));
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, messages);
    let isWaiting = false;
    const waitAt: GroupSlot['waitAt'] = (account, wait) => {
      isWaiting = true;
      return wait(rooms.of(account));
    };
    const slot = { groupId, waitAt } as unknown as GroupSlot;
    const request: RoomRequest = {
      choices: routedTo({ sms: 'texts', email: 'mails' }),
      channel: null,
      size: 25,
      except: [],
      waitsForAll: false,
      ms: 60_000,
      signal: new AbortController().signal,
    };
    return {
      enter: (overrides: Partial<RoomRequest> = {}) => enterRooms({ db: test.db, waits, rooms }, slot, { ...request, ...overrides }),
      untilWaiting: () => until(() => isWaiting, 'the round waits'),
      beginCall: (name: string) => rooms.of(name).beginCall(),
      open: () => names.filter((name) => rooms.of(name).isOpen),
    };
  };

  it('a round keeps the connections of its accounts from others until it leaves', async () => {
    const { enter, open } = await twoAccounts();
    const room = await enter();
    assert.deepEqual([room?.without, open()], [[], []]);
    room?.leave();
    assert.deepEqual(open(), names);
  });

  it('a page keeps only the connections of its own account from others', async () => {
    const { enter, open } = await twoAccounts();
    await enter({ channel: 'email' });
    assert.deepEqual(open(), ['texts']);
  });

  it('a round leaves out a channel whose account is full, unless it waits for all', async () => {
    const { enter, untilWaiting, beginCall, open } = await twoAccounts();
    const endCall = beginCall('mails');
    const room = await enter();
    assert.deepEqual([room?.without, open()], [['email'], []]);
    room?.leave();
    const waiting = enter({ waitsForAll: true });
    await untilWaiting();
    endCall();
    assert.deepEqual([(await waiting)?.without, open()], [[], ['texts']]);
  });

  it('a round that waits for one account leaves out the channel of another one that is full', async () => {
    const { enter, untilWaiting, beginCall } = await twoAccounts();
    const ends = names.map(beginCall);
    const waiting = enter();
    await untilWaiting();
    ends.forEach((end) => end());
    assert.equal((await waiting)?.without.length, 1);
  });
});
