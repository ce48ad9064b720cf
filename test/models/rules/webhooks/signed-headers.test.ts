import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { asymmetricSignature, generateSigningKey } from '../../../../models/rules/webhooks/signing-key.js';
import { Webhook as Verifier } from 'standardwebhooks';
import {
  deliveryHeaders,
  generateWebhookSecret,
  hexSignature,
  maskSignatures,
  standardSignature,
} from '../../../../models/rules/webhooks/signed-headers.js';

const now = () => Math.floor(Date.now() / 1000);
const bodies = fc.string({ unit: 'grapheme', maxLength: 300 });

describe('webhook signatures', () => {
  it('a new webhook secret has 32 random bytes', () => {
    const secrets = Array.from({ length: 100 }, generateWebhookSecret);
    for (const secret of secrets) {
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
    }
    assert.equal(new Set(secrets).size, 100);
  });

  it('a signature equals that of the Standard Webhooks library for any body', () => {
    fc.assert(
      fc.property(bodies, fc.uuid(), (body, id) => {
        const [secret, timestamp] = [generateWebhookSecret(), now()];
        assert.equal(standardSignature(secret, id, timestamp, body), new Verifier(secret).sign(id, new Date(timestamp * 1000), body));
      }),
    );
  });

  it('the Standard Webhooks library accepts a signature with each secret, and refuses a changed byte', () => {
    fc.assert(
      fc.property(bodies, fc.uuid(), (body, id) => {
        const secrets = [generateWebhookSecret(), generateWebhookSecret()];
        const json = JSON.stringify({ body });
        const headers = deliveryHeaders({ id, type: 'message.sent', body: json, secrets, timestampSeconds: now() });
        for (const secret of secrets) new Verifier(secret).verify(json, headers);
        assert.throws(() => new Verifier(secrets[0] as string).verify(`${json} `, headers));
        assert.throws(() => new Verifier(generateWebhookSecret()).verify(json, headers));
      }),
      { numRuns: 30 },
    );
  });

  it('the hex signature is the bare HMAC of the raw bytes, keyed with the whole newest secret', () => {
    const secrets = [generateWebhookSecret(), generateWebhookSecret()];
    const body = '{"a":"Grüße 😀"}';
    const headers = deliveryHeaders({ id: 'evt', type: 'message.failed', body, secrets, timestampSeconds: 1_700_000_000 });
    const byHand = createHmac('sha256', Buffer.from(secrets[0] as string, 'utf8'))
      .update(Buffer.from(body, 'utf8'))
      .digest('hex');
    assert.match(byHand, /^[0-9a-f]{64}$/);
    assert.equal(headers['X-Service-Signature'], byHand);
    assert.equal(hexSignature(secrets[0] as string, body), byHand);
    const { 'webhook-signature': trio, 'X-Service-Signature': _, ...rest } = headers;
    assert.equal(trio?.split(' ').length, 2);
    assert.deepEqual(rest, {
      'Content-Type': 'application/json',
      'User-Agent': 'Tidings-Webhooks/1.0',
      'X-Service-Event': 'message.failed',
      'webhook-id': 'evt',
      'webhook-timestamp': '1700000000',
    });
  });

  it('the hex signature matches RFC 4231, case 2', () => {
    assert.equal(hexSignature('Jefe', 'what do ya want for nothing?'), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });

  it('the signature of each private key follows those of the secrets', () => {
    const [secret, { signingKey }] = [generateWebhookSecret(), generateSigningKey()];
    const delivery = { id: 'evt', type: 'message.sent', body: '{}', secrets: [secret], timestampSeconds: 1 };
    assert.equal(
      deliveryHeaders({ ...delivery, signingKeys: [signingKey] })['webhook-signature'],
      `${standardSignature(secret, 'evt', 1, '{}')} ${asymmetricSignature(signingKey, 'evt', 1, '{}')}`,
    );
  });

  it('signatures are masked, and other headers are not changed', () => {
    const others = {
      'X-Service-Signature-Kind': 'a,b',
      'old-webhook-signature': 'v1,c',
      'Old-X-Service-Signature': 'd',
      'webhook-signature-2': 'v1,e',
    };
    assert.deepEqual(maskSignatures({ ...others, 'X-Service-Signature': 'abc', 'Webhook-Signature': 'v1,abc v1a,def' }), {
      ...others,
      'X-Service-Signature': '***',
      'Webhook-Signature': 'v1,*** v1a,***',
    });
  });

  it('signing without a secret is refused', () => {
    assert.throws(
      () => deliveryHeaders({ id: 'evt', type: 'message.sent', body: '{}', secrets: [], timestampSeconds: 1 }),
      /has no secret/,
    );
  });
});
