import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { asymmetricSignature, generateSigningKey } from '../../../../models/rules/webhooks/signing-key.js';

/** As a receiver without any of our code verifies. */
function isSigned(publicKey: string, signature: string, text: string): boolean {
  const x = Buffer.from(publicKey.slice('whpk_'.length), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature.slice('v1a,'.length), 'base64'));
}

describe('signing keys of webhooks', () => {
  it('signing keys are pairs in the form of Standard Webhooks', () => {
    const pairs = Array.from({ length: 20 }, generateSigningKey);
    for (const { signingKey, publicKey } of pairs) {
      assert.match(signingKey, /^whsk_[A-Za-z0-9+/]{43}=$/);
      assert.match(publicKey, /^whpk_[A-Za-z0-9+/]{43}=$/);
    }
    assert.equal(new Set(pairs.flatMap(({ signingKey, publicKey }) => [signingKey, publicKey])).size, 40);
  });

  it('a signature signs id, time and body, and only its own public key verifies it', () => {
    const [pair, other] = [generateSigningKey(), generateSigningKey()];
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.uuid(), fc.nat(), (body, id, time) => {
        const signature = asymmetricSignature(pair.signingKey, id, time, body);
        assert.ok(signature.startsWith('v1a,'));
        const text = `${id}.${time}.${body}`;
        assert.deepEqual(
          [
            isSigned(pair.publicKey, signature, text),
            isSigned(pair.publicKey, signature, `${text} `),
            isSigned(other.publicKey, signature, text),
          ],
          [true, false, false],
        );
      }),
      { numRuns: 30 },
    );
  });

  it('signing keys sign like another implementation', () => {
    const seed = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=';
    assert.equal(
      asymmetricSignature(seed, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1_614_265_330, '{"test": 2432232314}'),
      'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
    );
  });
});
