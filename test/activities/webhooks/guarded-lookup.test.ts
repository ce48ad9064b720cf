import assert from 'node:assert/strict';
import type { LookupAddress, LookupOptions } from 'node:dns';
import { BlockedAddressError, guardedLookup } from '../../../activities/webhooks/guarded-lookup.js';
import { createResolver, type Resolve } from '../../../models/network/name-resolver.js';

const answer: LookupAddress[] = [
  { address: '2001:db8::1', family: 6 },
  { address: '192.0.2.1', family: 4 },
];

/** What a guarded look-up calls back with. */
function ask(isAllowed: (address: string) => boolean, resolve: Resolve, options: LookupOptions): Promise<unknown[]> {
  const lookup = guardedLookup(isAllowed, resolve);
  return new Promise((done) => lookup('name.test', options, (...result) => done(result)));
}

describe('guardedLookup', () => {
  const all = () => true;
  const resolves: Resolve = async () => answer;

  it('the guarded lookup returns all addresses on request, IPv4 first', async () => {
    assert.deepEqual(await ask(all, resolves, { all: true }), [null, answer.toReversed()]);
  });

  it('the guarded lookup returns one address on request', async () => {
    assert.deepEqual(await ask(all, resolves, {}), [null, '192.0.2.1', 4]);
  });

  it('the guarded lookup refuses a name if one of its addresses is refused', async () => {
    const [error] = await ask((address) => address !== '2001:db8::1', resolves, { all: true });
    assert.ok(error instanceof BlockedAddressError);
  });

  it('the guarded lookup refuses a name without addresses', async () => {
    assert.ok((await ask(all, async () => [], {}))[0] instanceof BlockedAddressError);
  });

  it('the guarded lookup returns the error of a name that does not resolve', async () => {
    const failure = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    assert.equal((await ask(all, () => Promise.reject(failure), {}))[0], failure);
  });

  it('the guarded lookup resolves real names', async () => {
    const lookup = guardedLookup((address) => address === '127.0.0.1' || address === '::1', createResolver({ servers: [] }));
    const [error, address] = await new Promise<unknown[]>((done) => lookup('localhost', {}, (...result) => done(result)));
    assert.equal(error, null);
    assert.ok(address === '127.0.0.1' || address === '::1');
  });
});
