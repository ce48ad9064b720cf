import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { CallRoom, CallRooms } from '../../../activities/handoff/call-room.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';

describe('the connections to an account', () => {
  const ending = new AbortController();
  const wait = { ms: 60_000, signal: ending.signal };
  /** A room with all connections in use. */
  const fullRoom = () => {
    const room = new CallRoom(2);
    return { room, ends: [room.beginCall(), room.beginCall()] };
  };

  after(() => ending.abort()); // a round that still waits would keep the process

  it('a round begins while a connection is free, also with more calls than that', async () => {
    const room = new CallRoom(2);
    room.beginCall();
    assert.deepEqual([room.hasFor(1), room.hasFor(2), room.isOpen], [true, false, true]);
    assert.ok(await room.enter(25, wait));
    assert.equal(room.isOpen, false, 'the reserved calls count');
  });

  it('an account whose connections are all free has room for a round that is larger', () => {
    const room = new CallRoom(2);
    assert.deepEqual([room.hasFor(25), room.isSmallFor(25)], [true, true]);
    room.beginCall();
    assert.equal(room.hasFor(25), false);
  });

  it('each account has room for its number of connections, and always if it has none', () => {
    const accounts = ['limited', 'other'].map((name) => stubProvider(undefined, { name, connectionsMax: 2 }));
    const rooms = new CallRooms(new Map([...accounts, stubProvider()].map((account) => [account.name, account])));
    const names = ['limited', 'stub', 'unknown'];
    for (let calls = 0; calls < 1_000; calls += 1) for (const name of names) rooms.of(name).beginCall();
    assert.deepEqual(
      [...names, 'other'].filter((name) => rooms.of(name).isOpen),
      ['stub', 'unknown', 'other'],
    );
    assert.ok(rooms.of('stub').hasFor(1_000));
  });

  it('reserved calls count as calls when a round asks for a connection for each of its own', () => {
    const room = new CallRoom(3);
    room.reserve(2);
    assert.deepEqual([room.hasFor(1), room.hasFor(2)], [true, false]);
  });

  it('a round that has begun no longer listens to the signal', async () => {
    const { room, ends } = fullRoom();
    const { signal } = new AbortController();
    const round = room.enter(1, { ...wait, signal });
    ends[0]?.();
    assert.ok(await round);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('rounds begin in their order, one for each connection that becomes free', async () => {
    const { room, ends } = fullRoom();
    const begun: number[] = [];
    const rounds = [1, 2, 3].map((round) => room.enter(1, wait).then(() => begun.push(round)));
    ends[0]?.();
    await rounds[0];
    assert.deepEqual(begun, [1]);
    ends[1]?.();
    await rounds[1];
    assert.deepEqual(begun, [1, 2]);
  });

  it('a new round waits behind the waiting ones', async () => {
    const { room, ends } = fullRoom();
    const first = room.enter(1, wait);
    assert.deepEqual([room.isOpen, room.hasFor(1)], [false, false]);
    ends[0]?.();
    assert.ok(await first);
  });

  it('a reservation ends once, and lets the next round begin', async () => {
    const { room, ends } = fullRoom();
    ends[0]?.();
    const leave = await room.enter(5, wait);
    const next = room.enter(1, wait);
    leave?.();
    leave?.();
    assert.ok(await next);
    assert.equal(room.isOpen, false);
  });

  it('a round that has no connection in time does not begin, and keeps no other waiting', async () => {
    const { room, ends } = fullRoom();
    const stopping = new AbortController();
    const rounds = [room.enter(1, { ...wait, ms: 0 }), room.enter(1, { ...wait, signal: stopping.signal })];
    stopping.abort();
    assert.deepEqual(await Promise.all(rounds), [undefined, undefined]);
    assert.equal(await room.enter(1, { ...wait, signal: stopping.signal }), undefined);
    ends[0]?.();
    assert.ok(room.isOpen);
  });
});
