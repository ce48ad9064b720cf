import assert from 'node:assert/strict';
import { isAllowedTarget, isPublicAddress } from '../../../../models/rules/webhooks/address.js';
import { hostileAddresses, publicAddresses } from '../../../support/network/addresses.js';

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

const policy = { webhookAllowedNetworks: ['127.0.0.0/8', 'fd00::/8'], webhookPorts: [443, 8443], demoReceiver: '127.0.0.1:900' };

describe('isPublicAddress', () => {
  for (const address of [...hostileAddresses, ...strange]) {
    it(`the address ${address === '' ? 'of an empty text' : address} is not public`, () => assert.equal(isPublicAddress(address), false));
  }
  for (const address of publicAddresses)
    it(`the public address ${address} is let through`, () => assert.equal(isPublicAddress(address), true));
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
    it(`a webhook at ${address} port ${port} is ${isAllowed ? 'allowed' : 'refused'}`, () =>
      assert.equal(isAllowedTarget(address, port, policy), isAllowed));
  }
});
