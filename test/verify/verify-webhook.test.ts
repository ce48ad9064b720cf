import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { deliveryHeaders, generateWebhookSecret } from '../../models/rules/webhooks/signed-headers.js';
import { generateSigningKey } from '../../models/rules/webhooks/signing-key.js';
import { type Fault, type RequestHeaders, SeenIds, verifyWebhook, WebhookVerificationError } from '../../verify/verify-webhook.js';

const secret = generateWebhookSecret();
const id = '0198c5b1-0a10-7f3e-8b1d-00000000000a';
const body = JSON.stringify({
  event: 'message.sent',
  timestamp: '2026-11-21T10:00:00.000Z',
  data: { message_id: 'm', note: 'žluťoučký 🐎' },
});
const nowMs = 1_795_000_000_000;
const sentAt = nowMs / 1000;
const signed = (secrets: readonly string[] = [secret], timestampSeconds = sentAt, text = body) =>
  deliveryHeaders({ id, type: 'message.sent', body: text, secrets, timestampSeconds });
const verify = (headers: RequestHeaders = signed(), text: string | Uint8Array = body, secrets: string | string[] = secret) =>
  verifyWebhook(text, headers, secrets, { now: nowMs });
const faultOf = (...given: Parameters<typeof verify>): Fault => {
  try {
    verify(...given);
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.fault;
    throw error;
  }
  return assert.fail('it was believed');
};

describe('verifyWebhook', () => {
  it('a signed event is returned from text and bytes, with any kind of headers', () => {
    const expected = { ...JSON.parse(body), id, sentAt: new Date(nowMs) };
    assert.deepEqual(verify(), expected);
    assert.deepEqual(verify(new Headers(signed()), Buffer.from(body)), expected);
    const shouted = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value]));
    assert.deepEqual(verify(shouted, new TextEncoder().encode(body)), expected);
  });

  it('a header in a list is accepted if it is the only one in it', () => {
    const listed = Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name, [value]]));
    assert.equal(verify(listed).id, id);
    for (const given of [[], [id, id]]) assert.equal(faultOf({ ...listed, 'webhook-id': given }), 'headers');
  });

  it('an event is accepted with both secrets during a rotation on either side', () => {
    const old = generateWebhookSecret();
    assert.equal(verify(signed([secret, old]), body, old).id, id);
    assert.equal(verify(signed([secret]), body, [old, secret]).id, id);
    assert.equal(faultOf(signed([old]), body, secret), 'signature');
  });

  const altered: [string, Fault, RequestHeaders, string?][] = [
    ['another body', 'signature', signed(), body.replace('m"', 'n"')],
    ['another id', 'signature', { ...signed(), 'webhook-id': 'other' }],
    ['another time', 'signature', { ...signed(), 'webhook-timestamp': String(sentAt + 1) }],
    [
      'the signature of another version',
      'signature',
      { ...signed(), 'webhook-signature': signed()['webhook-signature']?.replace('v1', 'v2') },
    ],
    ['half a signature', 'signature', { ...signed(), 'webhook-signature': signed()['webhook-signature']?.slice(0, 20) }],
    ['no header webhook-id', 'headers', { ...signed(), 'webhook-id': undefined }],
    ['an empty signature', 'headers', { ...signed(), 'webhook-signature': '' }],
    ['a header given twice', 'headers', { ...signed(), 'webhook-timestamp': ['1', '2'] }],
    ['a time that is none', 'timestamp', { ...signed(), 'webhook-timestamp': '1e9' }],
    ['a signed text that is no JSON', 'body', signed([secret], sentAt, 'hello'), 'hello'],
    ['a signed number', 'body', signed([secret], sentAt, '1'), '1'],
  ];
  for (const [what, fault, headers, text = body] of altered) {
    it(`the verification refuses ${what}`, () => assert.equal(faultOf(headers, text), fault));
  }

  it('only the first 16 signatures of a request are read', () => {
    const headers = signed();
    const wrong = `v1,${Buffer.alloc(32).toString('base64')} `;
    const after = (count: number) => ({ ...headers, 'webhook-signature': wrong.repeat(count) + headers['webhook-signature'] });
    assert.equal(verify(after(15)).id, id);
    assert.equal(faultOf(after(16)), 'signature');
  });

  it('an event is accepted from a clock up to five minutes apart', () => {
    for (const apart of [-300, 300]) assert.equal(verify(signed([secret], sentAt + apart)).id, id);
    for (const apart of [-301, 301]) assert.equal(faultOf(signed([secret], sentAt + apart)), 'timestamp');
    const late = signed([secret], sentAt - 3_000);
    assert.equal(verifyWebhook(body, late, secret, { now: nowMs, toleranceSeconds: 3_000 }).id, id);
  });

  describe('with a public key', () => {
    const pair = generateSigningKey();
    const both = (signingKeys = [pair.signingKey]) =>
      deliveryHeaders({ id, type: 'message.sent', body, secrets: [secret], signingKeys, timestampSeconds: sentAt });

    it('an event with a signature of the private key is accepted, also during a rotation', () => {
      const next = generateSigningKey();
      for (const keys of [pair.publicKey, [next.publicKey, pair.publicKey], [pair.publicKey, generateWebhookSecret()], secret])
        assert.equal(verify(both(), body, keys).id, id);
      for (const keys of [pair.publicKey, next.publicKey])
        assert.equal(verify(both([next.signingKey, pair.signingKey]), body, keys).id, id);
    });

    it('an event is refused with another key, an altered body or the public key as a secret', () => {
      assert.equal(faultOf(both([generateSigningKey().signingKey]), body, pair.publicKey), 'signature');
      assert.equal(faultOf(both(), `${body} `, pair.publicKey), 'signature');
      assert.equal(faultOf(signed(), body, pair.publicKey), 'signature');
      const asSecret = `whsec_${pair.publicKey.slice(5)}`;
      assert.equal(faultOf(signed([asSecret]), body, pair.publicKey), 'signature');
      const relabelled = signed([asSecret])['webhook-signature']?.replace('v1,', 'v1a,');
      assert.equal(faultOf({ ...signed(), 'webhook-signature': relabelled }, body, pair.publicKey), 'signature');
    });

    it('the published example of another implementation is accepted', () => {
      const headers = {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
      };
      const key = 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=';
      const event = verifyWebhook('{"test": 2432232314}', headers, key, { now: 1_614_265_330_000 });
      assert.equal(event.id, 'msg_p5jXN8AQM9LWM0D4loKWxJek');
    });

    for (const [library, Webhook] of [['standardwebhooks', StandardWebhook] as const, ['svix', Svix] as const]) {
      it(`an event with two signatures is accepted by the package ${library} with the secret`, () => {
        const timestampSeconds = Math.floor(Date.now() / 1000);
        const headers = deliveryHeaders({ id, type: 't', body, secrets: [secret], signingKeys: [pair.signingKey], timestampSeconds });
        assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
      });
    }

    it('a public key of another form is refused', () => {
      for (const key of [pair.signingKey, 'whpk_', 'whpk_AAAA', `whpk_${Buffer.alloc(33, 1).toString('base64')}`])
        assert.throws(() => verify(both(), body, key), TypeError);
    });
  });

  it('a mistake of the caller throws another error than a wrong signature', () => {
    for (const secrets of ['', [], 'whsec_', [secret, '']]) assert.throws(() => verify(signed(), body, secrets), TypeError);
    assert.throws(() => verify(signed(), JSON.parse(body)), TypeError);
  });

  for (const [library, Webhook] of [['standardwebhooks', StandardWebhook] as const, ['svix', Svix] as const]) {
    it(`the verification agrees with the package ${library} on signed and altered texts`, () => {
      const text = fc
        .record({ event: fc.string(), data: fc.dictionary(fc.string(), fc.jsonValue()) })
        .map((event) => JSON.stringify(event));
      const theirs = new Webhook(secret);
      fc.assert(
        fc.property(text, fc.nat(), (payload, at) => {
          const now = new Date();
          const headers = {
            'webhook-id': id,
            'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
            'webhook-signature': theirs.sign(id, now, payload),
          };
          verifyWebhook(payload, headers, secret);
          const other = Buffer.from(payload);
          other[at % other.length] = ((other[at % other.length] ?? 0) + 1) % 128;
          assert.throws(() => verifyWebhook(other, headers, secret), WebhookVerificationError);
          assert.throws(() => theirs.verify(other.toString('latin1'), headers));
        }),
        { numRuns: 50 },
      );
    });

    it(`an event of the service is accepted, as by the package ${library}`, () => {
      const headers = signed([generateWebhookSecret(), secret], Math.floor(Date.now() / 1000));
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
      verifyWebhook(body, headers, secret);
    });
  }
});

describe('SeenIds', () => {
  it('an id is accepted once, and again after it was released', () => {
    const seen = new SeenIds();
    assert.deepEqual([seen.take('a'), seen.take('a'), seen.take('b')], [true, false, true]);
    seen.giveBack('a');
    assert.equal(seen.take('a'), true);
  });

  it('the list of seen ids forgets the oldest first', () => {
    const seen = new SeenIds(2);
    for (const each of ['a', 'b', 'c']) seen.take(each);
    assert.deepEqual([seen.take('b'), seen.take('c'), seen.take('a')], [false, false, true]);
  });
});
