import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { createClientAddress } from '../../../api/http/client-address.js';

describe('the address of a client behind a proxy', () => {
  const addressOf = createClientAddress(['10.0.0.0/8', 'fd00::/8']);
  const behind = (list: string) =>
    addressOf({ headers: { 'x-forwarded-for': list }, socket: { remoteAddress: '10.0.0.1' } } as unknown as IncomingMessage);

  for (const [list, address] of [
    ['', '10.0.0.1'],
    [' , ', '10.0.0.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:db8::1:443', '2001:db8::1:443'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['203.0.113.9, 192.0.2.1,, 10.0.0.2 ', '192.0.2.1'],
    ['203.0.113.9,\t192.0.2.1:80,[fd00::2]:80', '192.0.2.1'],
    [`192.0.2.1,${'10.0.0.2,'.repeat(30)}10.0.0.3`, '192.0.2.1'],
    [`192.0.2.1,${'10.0.0.2,'.repeat(31)}10.0.0.3`, '10.0.0.2'], // only the last 32 entries are read
    [`${'9'.repeat(100)}192.0.2.1`, '9'.repeat(64)],
  ] as const) {
    it(`X-Forwarded-For ${JSON.stringify(list.slice(0, 50))} is from ${address.slice(0, 20)}`, () => assert.equal(behind(list), address));
  }
});
