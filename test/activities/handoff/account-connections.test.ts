import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { AccountConnections, ConnectionsOfThread } from '../../../activities/handoff/account-connections.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';

describe('the connections to an account', () => {
  const ending = new AbortController();
  const wait = { ms: 60_000, signal: ending.signal };
  /** All connections have a call. */
  const allUsed = () => {
    const connections = new AccountConnections(2);
    return { connections, ends: [connections.beginCall(), connections.beginCall()] };
  };

  after(() => ending.abort()); // a round that still waits would keep the process

  it('a round begins while a connection is free, also with more calls than that', async () => {
    const connections = new AccountConnections(2);
    connections.beginCall();
    assert.deepEqual([connections.hasFor(1), connections.hasFor(2), connections.hasFree], [true, false, true]);
    assert.ok(await connections.reserveInTurn(25, wait));
    assert.equal(connections.hasFree, false, 'the reserved calls count');
  });

  it('an account whose connections are all free has enough for a round that is larger', () => {
    const connections = new AccountConnections(2);
    assert.deepEqual([connections.hasFor(25), connections.areFewerThan(25)], [true, true]);
    connections.beginCall();
    assert.equal(connections.hasFor(25), false);
  });

  it('each account has free connections up to its number, and always if it has no number', () => {
    const accounts = ['limited', 'other'].map((name) => stubProvider(undefined, { name, connectionsMax: 2 }));
    const connections = new ConnectionsOfThread(new Map([...accounts, stubProvider()].map((account) => [account.name, account])));
    const names = ['limited', 'stub', 'unknown'];
    for (let calls = 0; calls < 1_000; calls += 1) for (const name of names) connections.of(name).beginCall();
    assert.deepEqual(
      [...names, 'other'].filter((name) => connections.of(name).hasFree),
      ['stub', 'unknown', 'other'],
    );
    assert.ok(connections.of('stub').hasFor(1_000));
  });

  it('reserved calls count as calls when a round asks for a connection for each of its own', () => {
    const connections = new AccountConnections(3);
    connections.reserve(2);
    assert.deepEqual([connections.hasFor(1), connections.hasFor(2)], [true, false]);
  });

  it('a round that has begun no longer listens to the signal', async () => {
    const { connections, ends } = allUsed();
    const { signal } = new AbortController();
    const round = connections.reserveInTurn(1, { ...wait, signal });
    ends[0]?.();
    assert.ok(await round);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('rounds begin in their order, one for each connection that becomes free', async () => {
    const { connections, ends } = allUsed();
    const begun: number[] = [];
    const rounds = [1, 2, 3].map((round) => connections.reserveInTurn(1, wait).then(() => begun.push(round)));
    ends[0]?.();
    await rounds[0];
    assert.deepEqual(begun, [1]);
    ends[1]?.();
    await rounds[1];
    assert.deepEqual(begun, [1, 2]);
  });

  it('a new round waits behind the waiting ones', async () => {
    const { connections, ends } = allUsed();
    const first = connections.reserveInTurn(1, wait);
    assert.deepEqual([connections.hasFree, connections.hasFor(1)], [false, false]);
    ends[0]?.();
    assert.ok(await first);
  });

  it('a reservation ends once, and lets the next round begin', async () => {
    const { connections, ends } = allUsed();
    ends[0]?.();
    const release = await connections.reserveInTurn(5, wait);
    const next = connections.reserveInTurn(1, wait);
    release?.();
    release?.();
    assert.ok(await next);
    assert.equal(connections.hasFree, false);
  });

  it('a round that has no connection in time does not begin, and keeps no other waiting', async () => {
    const { connections, ends } = allUsed();
    const stopping = new AbortController();
    const rounds = [connections.reserveInTurn(1, { ...wait, ms: 0 }), connections.reserveInTurn(1, { ...wait, signal: stopping.signal })];
    stopping.abort();
    assert.deepEqual(await Promise.all(rounds), [undefined, undefined]);
    assert.equal(await connections.reserveInTurn(1, { ...wait, signal: stopping.signal }), undefined);
    ends[0]?.();
    assert.ok(connections.hasFree);
  });
});
