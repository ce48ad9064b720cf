import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { isIPv6 } from 'node:net';
import { guardedLookup } from '../../../activities/webhooks/guarded-lookup.js';
import { webhookPoster, type WebhookPoster } from '../../../activities/webhooks/post-webhook.js';
import { assertUsableUrl } from '../../../api/outside/webhook-target.js';
import { isAllowedTarget } from '../../../models/rules/webhooks/address.js';
import { hostileAddresses, hostileHosts, publicAddresses } from '../../support/network/addresses.js';
import { testConfig } from '../../support/config.js';

const name = 'https://receiver.example.com/hook';
const config = testConfig({ WEBHOOK_ALLOWED_NETWORKS: '' });
const literal = (address: string) => `https://${isIPv6(address) ? `[${address}]` : address}/hook`;
const found = (address: string): LookupAddress => ({ address, family: isIPv6(address) ? 6 : 4 });

const isRefusal = (error: { code?: string }) => {
  assert.equal(error.code, 'validation_failed');
  return false;
};

/** The same corpus where a URL is saved and where it is used. */
describe('the address guard', () => {
  const posters: WebhookPoster[] = [];
  after(() => {
    for (const poster of posters) poster.close();
  });

  const isSaved = (url: string, ...addresses: string[]) => assertUsableUrl(url, config, async () => addresses).then(() => true, isRefusal);
  /** What an attempt comes to whose name stands for these addresses. */
  const attempt = async (url: string, ...addresses: string[]) => {
    const poster = webhookPoster(config, { resolve: async () => addresses.map(found) });
    posters.push(poster);
    return (await poster.post(url, {}, '{}')).error;
  };
  /** Whether an address of a name is handed to the socket; nothing is connected. */
  const isDialled = (address: string) => {
    const lookup = guardedLookup(
      (candidate) => isAllowedTarget(candidate, 443, config),
      async () => [found(address)],
    );
    return new Promise<boolean>((done) =>
      lookup('receiver.example.com', {}, (error, dialled) => done(error === null && dialled === address)),
    );
  };
  const [first = ''] = publicAddresses;

  it('the test of the address guard has enough addresses of either kind', () => {
    assert.ok(new Set(hostileAddresses).size >= 61 && new Set(publicAddresses).size >= 7);
  });

  for (const address of hostileAddresses) {
    it(`the address guard refuses ${address}, also behind a name and beside a public address`, async () => {
      assert.deepEqual(
        [
          await isSaved(literal(address)),
          await isSaved(name, address),
          await isSaved(name, first, address),
          await isSaved(name, address, first),
        ],
        [false, false, false, false],
      );
      assert.deepEqual(
        [
          await attempt(literal(address)),
          await attempt(name, address),
          await attempt(name, first, address),
          await attempt(name, address, first),
        ],
        Array.from({ length: 4 }, () => 'blocked_address'),
      );
    });
  }

  for (const host of hostileHosts) {
    it(`the address guard refuses the host ${host.slice(0, 40)} for any address`, async () => {
      const url = `https://${host}/hook`;
      assert.equal(await isSaved(url, first), false);
      assert.equal(await attempt(url, first), 'blocked_address');
    });
  }

  for (const address of publicAddresses) {
    it(`the address guard accepts ${address}`, async () => {
      assert.deepEqual([await isSaved(literal(address)), await isSaved(name, address), await isDialled(address)], [true, true, true]);
      assert.ok(isAllowedTarget(address, 443, config), 'a literal is not looked up');
    });
  }

  it('the address guard accepts a name that does not resolve yet', async () => {
    assert.ok(await isSaved(name));
  });

  it('the address guard resolves local names when a private network is allowed', async () => {
    const own = testConfig({ WEBHOOK_ALLOWED_NETWORKS: '10.1.0.0/16' });
    const saved = (host: string, address: string) =>
      assertUsableUrl(`https://${host}/`, own, async () => [address]).then(() => true, isRefusal);
    assert.deepEqual(
      [await saved('intranet', '10.1.2.3'), await saved('intranet', '10.2.2.3'), await saved('a.onion', '10.1.2.3')],
      [true, false, false],
    );
  });
});
