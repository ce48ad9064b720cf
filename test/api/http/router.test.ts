import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../../../api/endpoints/index.js';
import { digestRequest, faultsOfIdempotencyKey } from '../../../api/http/idempotency.js';
import { addressKey } from '../../../api/http/client-address.js';
import { bucketOf } from '../../../api/auth/admit.js';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { assertReachable } from '../../../api/router.js';
import { root } from '../../deploy/project.js';

const isEndpoint = (value: unknown): boolean => typeof value === 'object' && value !== null && 'handler' in value;

describe('assertReachable', () => {
  const at = (id: string, path: string, method: 'get' | 'post' = 'get') => ({ id, method, path });
  it('a path that an earlier path hides is refused', () => {
    assert.throws(() => assertReachable([at('a', '/x/:id'), at('b', '/x/events')]), /a hides b: declare \/x\/events before \/x\/:id/);
    assert.throws(() => assertReachable([at('a', '/x/:id'), at('b', '/x/:name')]), /a hides b/);
  });
  it('paths with another order, method or length are accepted', () => {
    assertReachable([at('b', '/x/events'), at('a', '/x/:id'), at('c', '/x/events', 'post'), at('d', '/x/:id/events')]);
  });
  it('no endpoint of the API hides another', () => {
    assertReachable(endpoints);
    assert.equal(new Set(endpoints.map(({ id }) => id)).size, endpoints.length);
  });
});

describe('api/endpoints/', () => {
  it('each endpoint is listed, and exported under its id', async () => {
    const files = readdirSync(join(root, 'api/endpoints'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const modules = await Promise.all(
      files.map((file) => import(`../../../api/endpoints/${file.replace(/ts$/, 'js')}`) as Promise<Record<string, unknown>>),
    );
    const exported = modules.flatMap((each) => Object.entries(each)).filter(([, value]) => isEndpoint(value));
    const ids = endpoints.map(({ id }) => id);
    assert.deepEqual(exported.map(([name]) => name).toSorted(), ids.map((id) => `${id}Endpoint`).toSorted());
    for (const [name, value] of exported) assert.equal(name, `${(value as Endpoint).id}Endpoint`);
  });
});

describe('bucketOf', () => {
  const key = { kind: 'key', digest: Buffer.from('digest'), older: [] } as const;
  const jwt = { kind: 'jwt', claims: { typ: 'access', sub: 'w', tv: 3, jti: 'j', exp: 0 } } as const;
  it('rate limits count by the digest of the key, the workspace of a JWT, or the address', () => {
    assert.deepEqual(bucketOf({ id: 'x' }, key, 'ip'), { rateClass: 'api', key: key.digest.toString('base64url') });
    assert.deepEqual(bucketOf({ id: 'x' }, key, 'ip', 'id of key'), { rateClass: 'api', key: 'id of key' });
    assert.deepEqual(bucketOf({ id: 'x', rate: 'bulk' }, key, 'ip'), { rateClass: 'bulk', key: key.digest.toString('base64url') });
    assert.deepEqual(bucketOf({ id: 'x' }, jwt, 'ip'), { rateClass: 'jwt', key: 'w:3' });
    assert.deepEqual(bucketOf({ id: 'x' }, { kind: 'none' }, 'ip'), { rateClass: 'address', key: 'ip' });
    assert.deepEqual(bucketOf({ id: 'logIn', rate: 'auth' }, { kind: 'none' }, 'ip'), { rateClass: 'auth', key: 'logIn:ip' });
  });
});

describe('addressKey', () => {
  it('rate limits count by the whole IPv4 address, and by the /64 of an IPv6 address', () => {
    assert.equal(addressKey('10.1.2.3'), '10.1.2.3');
    assert.equal(addressKey('::ffff:10.1.2.3'), '10.1.2.3');
    assert.equal(addressKey('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
    assert.equal(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:2:ffff::9'));
    assert.equal(addressKey(undefined), 'unknown');
  });
  it('rate limits leave out the zone of an address, whatever its text is', () => {
    for (const zone of ['eth0', 'br-1a2b', 'eth0.100', '%', '']) assert.equal(addressKey(`fe80::1%${zone}`), 'fe80:0:0:0::/64');
    assert.equal(addressKey('fe80::1::2%eth0'), 'fe80::1::2%eth0');
  });
});

describe('idempotency keys', () => {
  it('an idempotency key has 1 to 255 visible ASCII characters', () => {
    for (const key of [null, 'a', '!~', 'x'.repeat(255)]) assert.deepEqual(faultsOfIdempotencyKey(key), []);
    for (const key of ['', ' ', 'a b', 'ä', 'x'.repeat(256), 'a\x7f']) assert.equal(faultsOfIdempotencyKey(key).length, 1);
  });
  it('bodies with another order of fields are the same request for an idempotency key', () => {
    const digest = (body: object) => digestRequest(body).toString('hex');
    assert.equal(digest({ a: 1, b: { c: [1, 2], d: undefined } }), digest({ b: { c: [1, 2] }, a: 1 }));
    assert.notEqual(digest({ a: [1, 2] }), digest({ a: [2, 1] }));
    assert.notEqual(digest({ a: '1' }), digest({ a: 1 }));
    assert.notEqual(digest({ a: { b: 1 } }), digest({ 'a:b': 1 }));
    assert.equal(digest({ at: new Date(0) }), digest({ at: new Date(0) }));
  });
});
