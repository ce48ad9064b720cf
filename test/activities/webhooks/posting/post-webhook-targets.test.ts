import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type PosterOptions, webhookPoster } from '../../../../activities/webhooks/post-webhook.js';
import { testConfig } from '../../../support/config.js';
import { acknowledge, certificateFor, type Receiver, startReceiver, trustTestAuthority } from '../../../support/network/receiver.js';

const v4 = (address: string): LookupAddress => ({ address, family: 4 });
const v6 = (address: string): LookupAddress => ({ address, family: 6 });

/** Where a webhook may lead is decided at connect time, by the address that is dialled. */
describe('webhookPoster and its targets', () => {
  let receiver: Receiver;
  const closing: (() => void)[] = [];
  before(async () => {
    await trustTestAuthority();
    receiver = await startReceiver(acknowledge, await certificateFor({ names: ['receiver.test'], addresses: ['127.0.0.1'] }));
  });
  beforeEach(() => receiver.received.splice(0));
  afterEach(() => {
    for (const close of closing.splice(0)) close();
  });
  after(() => receiver.close());

  const post = async (url: string, options: PosterOptions = {}, env: NodeJS.ProcessEnv = {}) => {
    const poster = webhookPoster(testConfig(env), options);
    closing.push(() => poster.close());
    return (await poster.post(url, {}, '{}')).error;
  };
  const named = () => `https://receiver.test:${receiver.port}/hook`;
  const resolvingTo = (...addresses: LookupAddress[]): PosterOptions => ({ resolve: () => Promise.resolve(addresses) });
  const closed = { WEBHOOK_ALLOWED_NETWORKS: '' };

  it('a POST reaches a name whose addresses are all allowed, and checks the certificate by the name', async () => {
    assert.equal(await post(named(), resolvingTo(v4('127.0.0.1'))), null);
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers.host),
      [`receiver.test:${receiver.port}`],
    );
    assert.equal(await post(`https://another.test:${receiver.port}/`, resolvingTo(v4('127.0.0.1'))), 'tls');
  });

  const refused: [string, LookupAddress[]][] = [
    ['a private address', [v4('10.0.0.1')]],
    ['the metadata service', [v4('169.254.169.254')]],
    ['a mapped loopback address', [v6('::ffff:10.0.0.1')]],
    ['an allowed address beside a private one', [v4('127.0.0.1'), v4('10.0.0.1')]],
    ['an allowed address beside a private IPv6 one', [v4('127.0.0.1'), v6('fd00::1')]],
    ['no address', []],
  ];
  for (const [what, addresses] of refused) {
    it(`no connection is made to a name that stands for ${what}`, async () => {
      assert.equal(await post(named(), resolvingTo(...addresses)), 'blocked_address');
      assert.deepEqual(receiver.received, []);
    });
  }

  it('a POST reaches an IPv4 address that connects late although the IPv6 address of the name does not work', async () => {
    const addresses = [v4('127.0.0.1'), v6('::1')]; // nothing listens at the second one
    const busy = () => {
      const until = performance.now() + 400; // above the time that Node.js gives to each address by default
      while (performance.now() < until);
    };
    const resolve = () => {
      queueMicrotask(() => process.nextTick(busy)); // after the connection was begun, and before its success is read
      return Promise.resolve(addresses);
    };
    assert.equal(await post(named(), { resolve }, { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128' }), null);
  });

  it('a POST connects to the address that was checked, with one look-up of the name', async () => {
    const answers = [[v4('127.0.0.1')], [v4('10.0.0.1')]];
    let asked = 0;
    assert.equal(await post(named(), { resolve: async () => answers[asked++] ?? [] }), null);
    assert.equal(asked, 1);
  });

  it('no connection is made to loopback by default', async () => {
    assert.equal(await post(receiver.url, {}, closed), 'blocked_address');
    assert.equal(await post(named(), resolvingTo(v4('127.0.0.1')), closed), 'blocked_address');
    assert.equal(await post(`https://localhost:${receiver.port}/`, {}, closed), 'blocked_address');
    assert.deepEqual(receiver.received, []);
  });

  for (const url of [
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://192.168.1.1:8443/',
    'https://169.254.169.254/latest/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://017700000001/',
  ]) {
    it(`no connection is made to the literal ${url}`, async () => {
      assert.equal(await post(url, {}, closed), 'blocked_address');
    });
  }

  it('a POST connects to permitted ports only', async () => {
    assert.equal(await post('https://93.184.215.14:9443/', {}, closed), 'blocked_address');
    assert.equal(await post('https://receiver.test:22/', resolvingTo(v4('93.184.215.14')), closed), 'blocked_address');
    assert.equal(await post('https://127.0.0.1:1023/'), 'blocked_address', 'low ports not even on allowed networks');
  });

  it('a POST connects to the receiver of the demo at its port only', async () => {
    assert.equal(await post(receiver.url, {}, { ...closed, DEMO_RECEIVER: `127.0.0.1:${receiver.port}` }), null);
    assert.equal(await post(receiver.url, {}, { ...closed, DEMO_RECEIVER: `127.0.0.1:${receiver.port - 1}` }), 'blocked_address');
  });

  it('a POST ignores a proxy of the environment', async () => {
    let connections = 0;
    const proxy = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const names = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'];
    const earlier = names.map((key) => [key, process.env[key]] as const);
    for (const key of names) process.env[key] = address;
    try {
      assert.deepEqual([await post(receiver.url), connections], [null, 0]);
    } finally {
      for (const [key, value] of earlier) {
        if (value === undefined) delete process.env[key];
        else process.env[key] = value;
      }
      proxy.close();
    }
  });

  it('no stored URL is called without TLS', async () => {
    assert.equal(await post(`http://127.0.0.1:${receiver.port}/`), 'blocked_address');
  });

  it('a POST to an unknown name fails with a DNS error', async () => {
    const failing = (code: string): PosterOptions => ({ resolve: () => Promise.reject(Object.assign(new Error('no'), { code })) });
    for (const code of ['ENOTFOUND', 'EAI_AGAIN']) assert.equal(await post(named(), failing(code)), 'dns');
  });

  it('a POST is given up if the resolver hangs', async () => {
    assert.equal(await post(named(), { resolve: () => new Promise(() => undefined), totalTimeoutMs: 200 }), 'timeout');
  });
});
