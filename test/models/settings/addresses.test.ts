import assert from 'node:assert/strict';
import { createClientAddress } from '../../../api/http/client-address.js';
import { faultsOf, load, required } from '../../support/load-settings.js';

const faults = (env: NodeJS.ProcessEnv) => faultsOf({ ...required, ...env });

describe('the settings of addresses', () => {
  it('proxies are addresses and networks that the API can use', () => {
    for (const one of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1'])
      createClientAddress(load({ TRUSTED_PROXIES: one }).trustedProxies);
    for (const one of ['v1.a', '010.0.0.1', '::1.2.3.4', '10.0.0.0/33', '127.1'])
      assert.deepEqual(faults({ TRUSTED_PROXIES: `10.0.0.1,${one}` }), [
        'TRUSTED_PROXIES: item 2 must be an address or a network, for example 10.0.0.0/8',
      ]);
  });

  it('a network of all addresses is no proxy, because then each client could choose its address', () => {
    for (const one of ['0.0.0.0/0', '::/0', '::/00'])
      assert.deepEqual(faults({ TRUSTED_PROXIES: one }), ['TRUSTED_PROXIES: item 1 must not contain all addresses']);
  });

  it('a list without proxies is written as none, not as a comma', () => {
    assert.deepEqual(faults({ PUBLIC_URL: 'https://api.example.test', TRUSTED_PROXIES: ',' }), [
      'TRUSTED_PROXIES must have at least one item',
    ]);
    assert.deepEqual(load({ TRUSTED_PROXIES: 'none' }).trustedProxies, []);
  });

  it('a URL of PostgreSQL at a Unix socket needs no host', () => {
    const socket = '?sslmode=disable&host=/cloudsql/project:region:instance';
    for (const user of ['app:p%40ss@', 'app@', ''])
      assert.equal(
        load({ DATABASE_URL: `postgres://${user}/tidings${socket}` }).databaseUrl,
        `postgres://${user}localhost/tidings${socket}`,
      );
    for (const one of ['postgres://app@/tidings', 'postgres://app@/tidings?ghost=/cloudsql'])
      assert.deepEqual(faults({ DATABASE_URL: one }), [
        'DATABASE_URL must be a URL, for example postgres://user:password@127.0.0.1:5432/tidings',
      ]);
  });

  it('the networks of webhooks are networks of IPv4 and IPv6', () => {
    assert.deepEqual(load({ WEBHOOK_ALLOWED_NETWORKS: '0.0.0.0/0,fd00::/8' }).webhookAllowedNetworks, ['0.0.0.0/0', 'fd00::/8']);
    for (const one of ['v1.a/8', '010.0.0.0/8'])
      assert.deepEqual(faults({ WEBHOOK_ALLOWED_NETWORKS: one }), [
        'WEBHOOK_ALLOWED_NETWORKS: item 1 must be a network, for example 10.0.0.0/8',
      ]);
  });

  for (const name of ['PUBLIC_URL', 'CALLBACK_URL', 'TEMPORAL_UI_URL']) {
    it(`${name} must have no query, no fragment and no credentials`, () => {
      for (const rest of ['example.test/?a=b', 'example.test/?', 'example.test/#top', 'user@example.test', 'user:secret@example.test/base'])
        assert.deepEqual(faults({ [name]: `http://${rest}` }), [`${name} must not have a query, a fragment, a user or a password`], rest);
      load({ [name]: 'http://example.test:8080/base/@me' });
    });
  }

  it('the payment provider is any scheme, host and port of the web', () => {
    for (const base of ['http://localhost:1@evil.example', 'https://api.example.test/v1', 'ftp://api.example.test'])
      assert.deepEqual(faults({ STRIPE_API_BASE: base }), [
        'STRIPE_API_BASE must be scheme, host and port, for example https://api.stripe.com',
      ]);
    for (const base of ['https://api.example.test', 'http://payments.example.test:12111', 'http://[::1]:12111'])
      assert.equal(load({ STRIPE_API_BASE: base }).stripe.apiBase, base);
  });
});
