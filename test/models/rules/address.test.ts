import assert from 'node:assert/strict';
import { isAllowedTarget, isPublicAddress } from '../../../models/rules/address.js';

const hostile = `0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.1.2.3 168.63.129.16 169.254.0.1
  169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.1
  192.168.255.255 192.175.48.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::1 ::127.0.0.1 ::a00:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0:127.0.0.1
  64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:1::3 2001:2::1
  2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1:: 2620:4f:8000::1 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1`.split(
  /\s+/,
);
const strange = [
  '',
  'localhost',
  '127.1',
  '0x7f.1',
  '2130706433',
  '017700000001',
  '1.2.3',
  '1.2.3.4.5',
  '8.8.8.8 ',
  'fe80::1%eth0',
  '2606:4700::1%1',
  '[::1]',
];
const good = ['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001::200e', '::ffff:8.8.8.8'];

const policy = { webhookAllowedNetworks: ['127.0.0.0/8', 'fd00::/8'], webhookPorts: [443, 8443], demoReceiver: '127.0.0.1:900' };

describe('isPublicAddress', () => {
  for (const address of [...hostile, ...strange]) {
    it(`refuses ${address === '' ? 'an empty text' : address}`, () => assert.equal(isPublicAddress(address), false));
  }
  for (const address of good) it(`lets ${address} through`, () => assert.equal(isPublicAddress(address), true));
});

describe('isAllowedTarget', () => {
  const cases: [string, number, boolean][] = [
    ['1.1.1.1', 443, true],
    ['1.1.1.1', 8443, true],
    ['1.1.1.1', 9000, false],
    ['10.0.0.1', 443, false],
    ['127.0.0.1', 443, true],
    ['127.0.0.1', 1024, true],
    ['127.0.0.1', 1023, false],
    ['::ffff:127.0.0.1', 5000, true],
    ['fd00::1', 5000, true],
    ['127.0.0.1', 900, true],
    ['127.0.0.2', 900, false],
  ];
  for (const [address, port, isAllowed] of cases) {
    it(`${isAllowed ? 'allows' : 'refuses'} ${address} port ${port}`, () =>
      assert.equal(isAllowedTarget(address, port, policy), isAllowed));
  }
});
