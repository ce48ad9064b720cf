import assert from 'node:assert/strict';
import { faultOfTarget, faultOfWebhookUrl } from '../../../../models/rules/webhooks/webhook-url.js';

const policy = { webhookAllowedNetworks: [], webhookPorts: [443, 8443], demoReceiver: undefined };

/** 253 characters, in labels of at most 63. */
const longestName = `${`${'a'.repeat(62)}.`.repeat(3)}${'b'.repeat(60)}.com`;

describe('faultOfWebhookUrl', () => {
  const cases: [string, string | null][] = [
    ['https://example.com/hook?x=1', null],
    ['HTTPS://example.com', null],
    ['https://example.com:8443/', null],
    ['https://8.8.8.8/', null],
    ['https://[2606:4700:4700::1111]/', null],
    ['http://example.com', 'Webhook URL must use HTTPS'],
    ['not a url', 'Webhook URL must use HTTPS'],
    ['ftp://example.com', 'Webhook URL must use HTTPS'],
    ['https://', 'Invalid webhook URL'],
    ['https:example.com', 'Invalid webhook URL'],
    ['https:example.com/https://example.org', 'Invalid webhook URL'],
    [' https://example.com', 'Webhook URL must use HTTPS'],
    ['https://exa mple.com', 'Invalid webhook URL'],
    ['https:\\\\example.com', 'Invalid webhook URL'],
    ['https://exam\nple.com', 'Invalid webhook URL'],
    ['https://user:pw@example.com', 'Webhook URL must not contain credentials'],
    ['https://@example.com', 'Webhook URL must not contain credentials'],
    ['https:///user@example.com', 'Webhook URL must not contain credentials'],
    ['https:///:pw@example.com', 'Webhook URL must not contain credentials'],
    ['https://example.com/user@x', null],
    ['https://example.com/#x', 'Webhook URL must not contain a fragment'],
    ['https://example.com/#', 'Webhook URL must not contain a fragment'],
    ['https://example.com:444', 'Webhook URL must use port 443 or 8443'],
    ['https://8.8.8.8:444', 'Webhook URL must use port 443 or 8443'],
    ['https://example.com:9443', 'Webhook URL must use port 443 or 8443'],
    ['https://receiver', 'Webhook URL must not point to a private address'],
    ['https://api.internal', 'Webhook URL must not point to a private address'],
    ['https://api.internal.example.com', null],
    ['https://example.onion', 'Invalid webhook URL'],
    [`https://${longestName}`, null],
    [`https://${longestName}.`, null],
    [`https://x${longestName}`, 'Invalid webhook URL'],
    ['https://127.0.0.1', 'Webhook URL must not point to a private address'],
    ['https://127.1', 'Webhook URL must not point to a private address'],
    ['https://0x7f.1', 'Webhook URL must not point to a private address'],
    ['https://2130706433', 'Webhook URL must not point to a private address'],
    ['https://017700000001', 'Webhook URL must not point to a private address'],
    ['https://①②⑦.0.0.1', 'Webhook URL must not point to a private address'],
    ['https://[::1]', 'Webhook URL must not point to a private address'],
    ['https://[::ffff:7f00:1]', 'Webhook URL must not point to a private address'],
    ['https://169.254.169.254/latest', 'Webhook URL must not point to a private address'],
    [`https://example.com/${'a'.repeat(2048 - 20)}`, null],
    [`https://example.com/${'a'.repeat(2049 - 20)}`, 'Webhook URL must be at most 2048 characters'],
  ];
  const shown = (url: string) => JSON.stringify(url.length <= 60 ? url : `${url.slice(0, 24)}… of ${url.length} characters`);
  for (const [url, fault] of cases)
    it(`the webhook URL ${shown(url)} is ${fault === null ? 'accepted' : `refused: ${fault}`}`, () =>
      assert.equal(faultOfWebhookUrl(url, policy), fault));

  it('a high port is allowed for a name if networks are allowed', () => {
    const lab = { ...policy, webhookAllowedNetworks: ['10.0.0.0/8'] };
    assert.equal(faultOfWebhookUrl('https://receiver:9443/', lab), null);
    assert.equal(faultOfWebhookUrl('https://receiver:1024/', lab), null);
    assert.equal(faultOfWebhookUrl('https://receiver:1023/', lab), 'Webhook URL must use port 443 or 8443');
    assert.equal(faultOfTarget(['10.1.2.3'], 9443, lab), null);
    assert.equal(faultOfTarget(['8.8.8.8'], 9443, lab), 'Webhook URL must use port 443 or 8443');
    assert.equal(faultOfTarget(['10.1.2.3', '10.0.0.1'], 443, lab), null);
    for (const addresses of [['10.1.2.3', '192.168.1.1'], ['8.8.8.8', '192.168.1.1'], ['not an address']])
      assert.equal(faultOfTarget(addresses, 9443, lab), 'Webhook URL must not point to a private address');
  });
});
