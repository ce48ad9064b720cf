import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { namesIn } from '../../../models/network/hosts-file.js';
import { createResolver } from '../../../models/network/name-resolver.js';
import { type DnsServer, startDnsServer } from '../../support/network/dns-server.js';

const codeOf = (resolving: Promise<unknown>) =>
  resolving.then(
    () => 'none',
    ({ code }: NodeJS.ErrnoException) => code,
  );

describe('names of webhooks', () => {
  let dns: DnsServer;
  before(async () => {
    dns = await startDnsServer({ 'hook.test': '192.0.2.7' });
  });
  after(() => dns.close());
  const resolver = (lookUpMs = 5_000, totalMs = 10_000) => createResolver({ servers: [dns.address], lookUpMs, totalMs });

  it('a name resolves to the addresses of the server, and an unknown one to none', async () => {
    assert.deepEqual(await resolver()('hook.test'), [{ address: '192.0.2.7', family: 4 }]);
    assert.equal(await codeOf(resolver()('other.test')), 'ENOTFOUND');
  });

  it('localhost is resolved without a query', async () => {
    const asked = dns.asked.length;
    for (const name of ['localhost', 'LOCALHOST.', 'app.localhost']) {
      const addresses = (await resolver()(name)).map(({ address }) => address);
      assert.ok(addresses.includes('127.0.0.1'), name);
    }
    assert.equal(dns.asked.length, asked);
  });

  it('names are read from the hosts file first, without comments', () => {
    const names = namesIn('127.0.0.1 localhost\n# 10.0.0.1 no\n192.0.2.1\tOne.test two.test # three.test\n2001:db8::1 one.test\n');
    assert.deepEqual(Object.fromEntries(names), {
      localhost: ['127.0.0.1'],
      'one.test': ['192.0.2.1', '2001:db8::1'],
      'two.test': ['192.0.2.1'],
    });
  });

  it('names of webhooks fail with ETIMEOUT without an answer', async () => {
    const startedAt = performance.now();
    assert.equal(await codeOf(resolver(300, 600)('slow.test')), 'ETIMEOUT');
    assert.ok(performance.now() - startedAt < 10_000);
  });

  it('a workspace resolves six names at a time, and does not delay others', async () => {
    const resolve = resolver(2_000, 2_500);
    const before = dns.asked.length;
    const slow = Array.from({ length: 40 }, (_, index) => codeOf(resolve(`slow${index}.test`, 'hostile')));
    assert.deepEqual(await resolve('hook.test', 'other'), [{ address: '192.0.2.7', family: 4 }]);
    const names = new Set(dns.asked.slice(before).filter((name) => name.startsWith('slow')));
    assert.ok(names.size <= 6, `${names.size} look-ups of the workspace are under way`);
    assert.deepEqual(new Set(await Promise.all(slow)), new Set(['ETIMEOUT']));
  });
});
