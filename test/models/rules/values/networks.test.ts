import assert from 'node:assert/strict';
import { isClientInNetworks, networkOf } from '../../../../models/rules/values/networks.js';

describe('the networks of an API key', () => {
  const stored: [string, string | null][] = [
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:DB8::/32', '2001:db8::/32'],
    ['', null],
    ['example.com', null],
    ['203.0.113', null],
    ['0x7f.0.0.1', null],
    ['203.0.113.0/33', null],
    ['203.0.113/24', null],
    ['2001:db8::/129', null],
    ['203.0.113.0/24/24', null],
    ['fe80::1%eth0', null],
    ['fe80::%eth0/64', null],
  ];
  for (const [text, network] of stored)
    it(`the network ${JSON.stringify(text)} is ${network === null ? 'refused' : `stored as ${network}`}`, () =>
      assert.equal(networkOf(text), network));

  const networks = ['203.0.113.0/24', '2001:db8::/32'];
  const addresses: [string | undefined, boolean][] = [
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['::ffff:203.0.113.9', true],
    ['2001:db8:ffff::1', true],
    ['2001:db9::1', false],
    ['not an address', false],
    ['', false],
    [undefined, false],
  ];
  for (const [address, isIn] of addresses)
    it(`the networks of a key ${isIn ? 'include' : 'exclude'} the client ${JSON.stringify(address)}`, () =>
      assert.equal(isClientInNetworks(address, networks), isIn));
  it('the networks of an API key let IPv4 clients in by the IPv6 form of their addresses', () => {
    const mapped = ['::ffff:203.0.113.7', '::ffff:198.51.100.0/120'].map((text) => networkOf(text) ?? '');
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '198.51.100.255']) assert.ok(isClientInNetworks(address, mapped), address);
    for (const address of ['203.0.113.8', '198.51.101.0', '2001:db8::1']) assert.ok(!isClientInNetworks(address, mapped), address);
  });
  it('an empty list of networks stops everybody', () => assert.equal(isClientInNetworks('203.0.113.7', []), false));
});
